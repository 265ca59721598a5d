//! The course of an opening rule: what the players did, in order. This module knows no rules: the engine says
//! which step follows.

/** @typedef {'you' | 'engine' | 'friend'} Seat `friend`: who plays in a room */
/** @typedef {'first' | 'second'} Side */
/** @typedef {'place' | 'swap' | 'declare' | 'offer' | 'keep'} Kind */
/** What a player did: a word of the protocol, and the step to which it belongs. `side` is the player's side before it. @typedef {{ act: string, kind: Kind, player: 1 | 2, side: Side }} Act */
/**
 * @typedef {object} Course
 * @property {string} rule
 * @property {Act[]} acts
 * @property {string[]} unread acts of a link or a record, until the engine has said what they mean
 * @property {Record<1 | 2, Seat>} players player 1 begins
 * @property {boolean} over
 * @property {number} stones the stones on the board at the end of the opening; before it, of no meaning
 */

/**
 * Returns a course at its start.
 * @param {string} rule @param {{ first: Seat, second: Seat }} seats @param {string[]} [unread] @returns {Course}
 */
export const begin = (rule, seats, unread = []) => ({
  rule,
  acts: [],
  unread,
  players: { 1: seats.first, 2: seats.second },
  over: false,
  stones: 0,
});

/** The acts in the words of the protocol. @param {Course} course */
export const words = ({ acts, unread }) => [...acts.map(({ act }) => act), ...unread];

/** Whether an act puts a stone on the board. @param {Act} act */
export const isStone = ({ kind }) => kind === 'place' || kind === 'keep';

/** Returns the seats when player `first` has the first side. @param {Course} course @param {1 | 2} first */
export function seatsOf({ players }, first) {
  const [one, two] = first === 1 ? [players[1], players[2]] : [players[2], players[1]];
  return { first: one, second: two };
}

/**
 * Returns the course before the last act of a user, and how many stones are on the board there; null if
 * there is no such act.
 * @param {Course} course @returns {{ course: Course, stones: number } | null}
 */
export function undone(course) {
  const last = course.acts.findLastIndex(({ player }) => course.players[player] === 'you');
  if (last < 0 || course.unread.length) return null;
  const acts = course.acts.slice(0, last);
  return { course: { ...course, acts, over: false, stones: 0 }, stones: acts.filter(isStone).length };
}

/** The side whose stones a player takes by `swap` or `stay`; null for other acts. @param {Act} act @returns {Side | null} */
export function takenSide({ act, side }) {
  if (act === 'stay') return side;
  if (act !== 'swap') return null;
  return side === 'first' ? 'second' : 'first';
}

/** Writes a course for records, as `rif h8 h9 h7 stay`. @param {Course} course */
export const courseText = (course) => [course.rule, ...words(course)].join(' ');

/** Reads such a text; null if it is none. Its players are users. @param {string | undefined} text @returns {Course | null} */
export function readCourse(text) {
  const [rule, ...acts] = (text ?? '')
    .trim()
    .toLowerCase()
    .split(/[\s.]+/);
  return rule && acts.every((act) => /^[a-z0-9]+$/.test(act)) ? begin(rule, { first: 'you', second: 'you' }, acts) : null;
}

/**
 * Returns a course with other points; null stays null.
 * @param {Course | null} course @param {(name: string) => string} moved
 */
export function movedCourse(course, moved) {
  const other = (/** @type {string} */ act) => (/^[a-z]\d+$/.test(act) ? moved(act) : act);
  return course && { ...course, acts: course.acts.map((one) => ({ ...one, act: other(one.act) })), unread: course.unread.map(other) };
}

/**
 * Describes points as a square, for texts: all free points of a square, or all outside it; null if they are neither.
 * `free`: all points without a stone.
 * @param {{ c: number, r: number }[]} points @param {{ c: number, r: number }[]} free @param {{ c: number, r: number }} centre
 * @returns {{ kind: 'at' | 'in' | 'out' | 'free', size: number } | null}
 */
export function regionOf(points, free, centre) {
  const far = (/** @type {{ c: number, r: number }} */ { c, r }) => Math.max(Math.abs(c - centre.c), Math.abs(r - centre.r));
  const within = (/** @type {number} */ reach) => free.filter((point) => far(point) <= reach).length;
  if (points.length === free.length) return { kind: 'free', size: 0 };
  const [largest, smallest] = [Math.max(...points.map(far)), Math.min(...points.map(far))];
  if (points.length === within(largest)) return { kind: largest ? 'in' : 'at', size: 2 * largest + 1 };
  if (points.length === free.length - within(smallest - 1)) return { kind: 'out', size: 2 * smallest - 1 };
  return null;
}
