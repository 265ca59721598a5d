//! The data of a run, as the program writes them.

/** A game; `link`: its board and moves; `first`: the side of the first score. @typedef {{ id: number, players: number[], link: string | null, moves: number, opening_plies: number, first: number, scores: (string | null)[], left_millis?: (number | null)[], score?: string, text?: string, opening?: string | null, seconds?: number, started?: string, worker?: string, counted?: boolean }} RunGame */
/** A sequential test; `points`: pairs and log-likelihood ratio. @typedef {{ elo: [number, number], model: string, llr: number, bounds: [number, number], pairs: number, counts: number[], decision: string | null, points: [number, number][] }} Test */
/** @typedef {{ player: number, points: number, games: number, wdl: number[], unplayed: number, elo: number | null, error: number | null, withdrawn: string | null }} Standing */
/** @typedef {{ game?: number, player?: number | null, text: string, withdrawn?: boolean }} Failure */
/** @typedef {{ name: string, games: number, game_seconds: number, nps: number | null, last: number }} Worker */
/** Times in seconds. @typedef {{ error?: string, title: string, variant: string, rules: string, started: string, program: string, players: string[], standings: Standing[], crosstable: number[][][], test: Test | null, games: number, edition: number, done: number, all: number, may_grow: boolean, over: boolean, left_seconds: number | null, now: number, running: RunGame[] | null, workers: Worker[], failures: Failure[], warnings: { player: number, what: string, count: number }[] }} Run */

export {};
