//! The types of what the application is made of: features, the player, the saver. Nothing loads this module.

/** @typedef {import('../record/game.js').Node} Node */
/** @typedef {import('../record/game.js').Game} Game */
/** @typedef {import('../record/game.js').Point} Point */
/** @typedef {import('../record/game.js').Result} Result */
/** @typedef {import('../protocol/client.js').Client} Client */
/** @typedef {import('../protocol/client.js').Reply} Reply */
/** @typedef {import('../board/view.js').BoardView} BoardView */
/** @typedef {import('../board/view.js').Scene} Scene */
/** @typedef {'play' | 'analyse' | 'review'} Mode */
/** @typedef {{ text: string, act: () => void, build?: () => HTMLElement }} Choice `build`: makes another element than a button */
/** @typedef {[string, () => void] | null} MenuItem */
/** @typedef {{ moves: string[], kind: string, from: 'row' | 'disc' | 'hint', side?: 'first' | 'second' }} Preview the `side` plays the first of the moves: the side to move, if it is absent */
/** @typedef {{ tap: (point: Point) => void, cancel: () => void }} Editing */

/**
 * A part of the page that is loaded when it is wanted. It implements what it needs of this.
 * @typedef {object} Feature
 * @property {() => void} [enter] the mode has changed
 * @property {(node: Node) => void} [follow] another position is shown
 * @property {() => void} [gameChanged] another game is shown
 * @property {() => void} [connected] the engine can be asked again
 * @property {() => void} [suspend] the page is left
 * @property {() => void} [paint] draws what has changed
 * @property {() => void} [language] the language has changed: draws everything again
 * @property {(scene: Scene) => void} [scene] adds marks to the board
 * @property {() => [string, string][]} [legend] signs on the board and their meanings, in the feature's mode
 * @property {() => string} [status] the text of the status, in the feature's mode
 * @property {() => Choice[]} [choices] the buttons beside it
 * @property {() => boolean} [mayPlace] whether the user may place a stone in an opening
 * @property {() => string[]} [events] what happened besides moves, for the list of moves
 * @property {(point: Point) => { pv: string[], kind: string } | null} [lineAt] the line that begins on a point
 * @property {(move: string) => string} [wordsOf] the value of a move in words
 * @property {(points: string[], bans: boolean, done: boolean) => void} [area] points that the user has marked with the mouse
 * @property {() => string} [best] the best move and its value in words
 * @property {(move: string) => MenuItem[]} [pointItems] items of the menu of an empty point
 * @property {(node: Node) => MenuItem[]} [moveItems] items of the menu of a move
 * @property {Record<string, () => void>} [commands] actions of buttons, keys and words
 * @property {boolean} [running] whether it shows a time that passes
 * @property {(act: string) => boolean | undefined} [can] whether a button may be pressed; undefined: as ever
 * @property {(act: string) => boolean} [press] does what a button says, if it is the feature's
 * @property {boolean} [hidesValues] whether values must not be seen now
 * @property {Mode} [mode] the mode whose status and legend it gives
 */

/**
 * What `main.js` gives to the application.
 * @typedef {object} Parts
 * @property {Client} client
 * @property {BoardView} board
 * @property {Record<string, { mode?: Mode, styles?: string[], load: () => Promise<{ mount: (app: any) => Feature }> }>} features
 * @property {(app: any, name: string, argument?: any) => Promise<unknown>} openDialog
 * @property {(app: any) => Promise<Player>} loadPlay
 * @property {(app: any) => Promise<Saver>} loadSaver
 * @property {() => Promise<{ ofPoint: (app: any, point: Point) => void, ofMove: (app: any, node: Node, anchor: HTMLElement) => void }>} menus
 * @property {() => Promise<{ run: (app: any, word: string) => void }>} commands
 */

/**
 * Plays games: `play.js`.
 * @typedef {object} Player
 * @property {(point: Point) => void} tap
 * @property {(point: Point | null) => void} aimAt
 * @property {(dc: number, dr: number) => void} nudge
 * @property {() => void} undo
 * @property {() => void} redo
 * @property {() => void} hint
 * @property {() => void} resign
 * @property {() => void} swapSides
 * @property {() => Node | null} undoTarget
 * @property {() => void} advance
 * @property {() => void} stop
 * @property {(result: Result) => void} finish
 * @property {(node: Node, move: string) => Node} place
 * @property {(node: Node, seats?: Game['seats'], level?: number) => void} playOn
 * @property {(like: Pick<Game, 'shape' | 'seats' | 'level' | 'clock' | 'whiteFirst'> & { rule?: string }) => Promise<void>} newGame
 * @property {(node: Node, reply: Reply) => void} onRefusal
 * @property {() => Choice[]} retryChoices
 */

/**
 * Keeps the game in the browser's storage and in the link: `autosave.js`.
 * @typedef {object} Saver
 * @property {() => void} save
 * @property {() => void} writeHash
 * @property {() => Promise<void>} restore
 * @property {(link: string) => Promise<void>} openLink
 * @property {(event: StorageEvent) => void} otherTab
 */

export {};
