//! The file of puzzles: its entries, of every version, and what it says about a first move.

import { nameOf } from '../../record/game.js';

/** @typedef {import('../../record/game.js').Side} Side */
/** @typedef {import('../../record/game.js').Verdict} Verdict */
/** @typedef {import('../../record/game.js').Ending} Ending */
/** @typedef {import('../../record/game.js').Puzzle} Puzzle */

/** The file, made as docs/manual/puzzles.md says. */
const FILE = 'puzzles.json';

/** What an ending says about a win. @type {Record<Ending, Verdict>} */
const VERDICTS = { win: 'wins', loss: 'does_not_win', draw: 'does_not_win', unproven: 'no_win_found' };

/**
 * Returns the puzzles of a file. The first version is a list. There a move counted as wrong if a short search found no win, so that
 * nothing is proven of it.
 * @param {any} file @returns {Puzzle[]}
 */
export function puzzlesOf(file) {
  if (!Array.isArray(file)) return file.puzzles.map((/** @type {any} */ one) => ({ ...one, u: one.u ? one.u.split(' ') : [] }));
  return file.map((one) => ({ ...one, t: one.t.map((/** @type {string} */ line) => [line, 'unproven']), u: null, n: 0, h: [] }));
}

/** Loads all puzzles. */
export async function loadPuzzles() {
  const reply = await fetch(FILE);
  if (!reply.ok) throw new TypeError(`load ${FILE}: ${reply.status}`);
  return puzzlesOf(await reply.json());
}

/**
 * Returns what the file says about a first move besides the solution, and what follows; null if the file does not say it.
 * @param {Puzzle} puzzle @param {string} move @returns {{ verdict: Verdict, line: string[], draw?: boolean } | null}
 */
export function known({ t, u }, move) {
  const tried = t.find(([line]) => line.split(' ')[0] === move);
  if (tried) return { verdict: VERDICTS[tried[1]], line: tried[0].split(' ').slice(1), draw: tried[1] === 'draw' };
  return u && { verdict: u.includes(move) ? 'no_win_found' : 'does_not_win', line: [] };
}

/** The winner's moves of the solution. @param {Puzzle} puzzle */
export const lengthOf = ({ l }) => Math.ceil(l.split(' ').length / 2);

/** Whether another move wins later, so that the shortest win is wanted. @param {Puzzle} puzzle */
export const wantsShortest = ({ t }) => t.some(([, ending]) => ending === 'win');

/** Returns the stones of a FEN and the side to move. @param {string} fen @param {number} height */
export function setupOf(fen, height) {
  const [rows = '', turn = 'w'] = fen.split(' ');
  const setup = {
    first: /** @type {string[]} */ ([]),
    second: /** @type {string[]} */ ([]),
    turn: /** @type {Side} */ (turn === 'w' ? 'first' : 'second'),
  };
  rows.split('/').forEach((row, n) => {
    let c = 0;
    for (const [text] of row.matchAll(/\d+|[Pp]/g)) {
      if (/\d/.test(text)) c += Number(text);
      else setup[text === 'P' ? 'first' : 'second'].push(nameOf({ c: c++, r: height - 1 - n }));
    }
  });
  return setup;
}
