//! Games in the browser's storage. A game is stored under its id with a revision, so that two tabs with
//! one game cannot both write the next revision.

import { allNodes, readSgf, writeSgf } from './sgf.js';

/** @typedef {import('./game.js').Game} Game */
/** @typedef {import('./game.js').Node} Node */

const PREFIX = 'tengen.game.';
const CURRENT = 'tengen.current';
/** How many games the storage keeps. */
export const MAX_GAMES = 50;

/**
 * @typedef {object} Saved
 * @property {string} id
 * @property {number} revision
 * @property {string} sgf
 * @property {number} time when the state was saved, in ms
 * @property {number[]} shown the path to the position shown, as indices of children
 * @property {number[]} live the path to the position in which the game continues
 * @property {Pick<Game, 'seats' | 'level' | 'clock' | 'whiteFirst' | 'result' | 'said' | 'course' | 'puzzle' | 'reviewed' | 'original'>} rest
 * @property {[number, Pick<Node, 'graded' | 'judged' | 'better' | 'share' | 'reason'>][]} [values] what searches have found, by the number of the node
 * @property {{ variant: string, gravity: boolean, moves: number, first: string, second: string }} [about] for the list of games
 */

/** Returns the path to a node: the index of the child at each move. @param {Node} node */
function pathOf(node) {
  return node
    .path()
    .slice(1)
    .map((at) => at.parent?.children.indexOf(at) ?? 0);
}

/** Returns the node at the end of a path. @param {Game} game @param {number[]} path */
function nodeAt(game, path) {
  let node = game.root;
  for (const index of path) node = node.children[index] ?? node;
  return node;
}

/** The record as it is stored: the values stand beside it. @param {Game} game */
const textOf = (game) => writeSgf(game, { values: false });

/** Returns the stored form of a game. @param {Game} game @returns {Saved} */
export function pack(game) {
  const { id, revision, seats, level, clock, whiteFirst, result, said, course, puzzle, reviewed, original, shape, extra } = game;
  const rest = { seats, level, clock, whiteFirst, result, said, course, puzzle, reviewed, original };
  const values = allNodes(game).flatMap(({ graded, judged, better, share, reason }, n) => {
    const isKnown = graded || judged || better.length || share !== null;
    return isKnown ? [/** @type {[number, any]} */ ([n, { graded, judged, better, share, reason }])] : [];
  });
  const about = {
    variant: shape.variant,
    gravity: shape.gravity,
    moves: game.mainLine().length - 1,
    first: extra.PB?.[0] ?? '',
    second: extra.PW?.[0] ?? '',
  };
  return { id, revision, time: Date.now(), sgf: textOf(game), shown: pathOf(game.shown), live: pathOf(game.live), rest, values, about };
}

/** Returns the game of a stored form. @param {Saved} saved */
export function unpack(saved) {
  const game = readSgf(saved.sgf);
  Object.assign(game, { original: '', said: null, puzzle: null, reviewed: false }, saved.rest, { id: saved.id, revision: saved.revision });
  const nodes = allNodes(game);
  for (const [n, values] of saved.values ?? []) if (nodes[n]) Object.assign(nodes[n], values);
  game.live = nodeAt(game, saved.live);
  game.show(game.live);
  game.show(nodeAt(game, saved.shown));
  return game;
}

/**
 * Returns the stored form of a game; null if there is none.
 * @param {Storage} storage @param {string} id @returns {Saved | null}
 */
export function savedState(storage, id) {
  try {
    return JSON.parse(storage.getItem(PREFIX + id) ?? 'null');
  } catch {
    return null;
  }
}

/**
 * Saves the next revision of a game. Returns false and writes nothing if another tab has already
 * saved a newer one.
 * @param {Storage} storage @param {Game} game
 */
export function save(storage, game) {
  const known = savedState(storage, game.id);
  if (known && known.revision > game.revision) return false;
  game.revision++;
  const text = JSON.stringify(pack(game));
  try {
    storage.setItem(PREFIX + game.id, text);
  } catch {
    prune(storage, 1);
    storage.setItem(PREFIX + game.id, text);
  }
  storage.setItem(CURRENT, game.id);
  prune(storage, MAX_GAMES);
  return true;
}

/**
 * Whether the storage holds a newer revision of a game, or this revision with another record. Two tabs
 * that save at the same time cause the second case: both then load the stored game.
 * @param {Storage} storage @param {Game} game
 */
export function storedDiffers(storage, game) {
  const known = savedState(storage, game.id);
  if (!known || known.revision < game.revision) return false;
  return known.revision > game.revision || known.sgf !== textOf(game);
}

/** Returns the keys of the stored games. @param {Storage} storage */
const keysOf = (storage) =>
  Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? '').filter((name) => name.startsWith(PREFIX));

/** Returns all stored games, the newest first. @param {Storage} storage @returns {Saved[]} */
export function all(storage) {
  const saved = keysOf(storage).map((key) => savedState(storage, key.slice(PREFIX.length)));
  return saved.filter((one) => one !== null).sort((a, b) => b.time - a.time);
}

/** Removes a game. @param {Storage} storage @param {string} id */
export function remove(storage, id) {
  storage.removeItem(PREFIX + id);
}

/** Removes the oldest games. @param {Storage} storage @param {number} kept */
function prune(storage, kept) {
  const current = storage.getItem(CURRENT);
  const names = keysOf(storage);
  if (names.length <= kept) return;
  const time = (/** @type {string} */ name) => savedState(storage, name.slice(PREFIX.length))?.time ?? 0;
  const old = names
    .filter((name) => name !== PREFIX + current)
    .sort((a, b) => time(b) - time(a))
    .slice(Math.max(kept - 1, 0));
  for (const name of old) storage.removeItem(name);
}

/**
 * Returns the game of this tab, else the game that was saved last.
 * @param {Storage} storage @param {string | null} id the id of this tab's game @returns {Game | null}
 */
export function restore(storage, id) {
  const saved = savedState(storage, id ?? '') ?? savedState(storage, storage.getItem(CURRENT) ?? '');
  return saved && unpack(saved);
}

/** Returns the id of the game with a storage key; null for other keys. @param {string | null} key */
export const gameOfKey = (key) => (key?.startsWith(PREFIX) ? key.slice(PREFIX.length) : null);
