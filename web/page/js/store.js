//! Games in the browser's storage and in links. A game is stored under its id with a revision, so that
//! two tabs with one game cannot both write the next revision.

import { Game, VARIANTS, shapeOf } from './game.js';
import { playMoves, readMoves } from './notation.js';
import { readSgf, writeSgf } from './sgf.js';

/** @typedef {import('./game.js').Node} Node */

const PREFIX = 'tengen.game.';
const CURRENT = 'tengen.current';
/** How many games the storage keeps. */
const MAX_GAMES = 20;

/**
 * @typedef {object} Saved
 * @property {string} id
 * @property {number} revision
 * @property {string} sgf
 * @property {number} time when the state was saved, in ms
 * @property {number[]} shown the path to the position shown, as indices of children
 * @property {number[]} live the path to the position in which the game continues
 * @property {Pick<Game, 'seats' | 'level' | 'clock' | 'whiteFirst' | 'result' | 'swap' | 'events'>} rest
 */

/** Returns the path to a node: the index of the child at each move. @param {Node} node */
function pathOf(node) {
  return node.path().slice(1).map((at) => at.parent?.children.indexOf(at) ?? 0);
}

/** Returns the node at the end of a path. @param {Game} game @param {number[]} path */
function nodeAt(game, path) {
  let node = game.root;
  for (const index of path) node = node.children[index] ?? node;
  return node;
}

/** Returns the stored form of a game. @param {Game} game @returns {Saved} */
export function pack(game) {
  const { id, revision, seats, level, clock, whiteFirst, result, swap, events } = game;
  const rest = { seats, level, clock, whiteFirst, result, swap, events };
  return { id, revision, time: Date.now(), sgf: writeSgf(game), shown: pathOf(game.shown), live: pathOf(game.live), rest };
}

/** Returns the game of a stored form. @param {Saved} saved */
export function unpack(saved) {
  const game = readSgf(saved.sgf);
  Object.assign(game, saved.rest, { id: saved.id, revision: saved.revision });
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
 * that save at once cause the second case: both then load the stored game.
 * @param {Storage} storage @param {Game} game
 */
export function storedDiffers(storage, game) {
  const known = savedState(storage, game.id);
  if (!known || known.revision < game.revision) return false;
  return known.revision > game.revision || known.sgf !== writeSgf(game);
}

/** Removes the oldest games. @param {Storage} storage @param {number} kept */
function prune(storage, kept) {
  const current = storage.getItem(CURRENT);
  const names = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? '').filter((name) => name.startsWith(PREFIX));
  if (names.length <= kept) return;
  const time = (/** @type {string} */ name) => savedState(storage, name.slice(PREFIX.length))?.time ?? 0;
  const old = names.filter((name) => name !== PREFIX + current).sort((a, b) => time(b) - time(a)).slice(Math.max(kept - 1, 0));
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

/** An error in a link: the key of the message and its values. */
export class LinkError extends Error {
  /** @param {string} key @param {Record<string, string | number>} values */
  constructor(key, values) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/**
 * Returns the hash of a link to the position shown. The link holds the line through the position, but
 * no variations.
 * @param {Game} game
 */
export function linkOf(game) {
  const { variant, w, h, k, gravity, overline } = game.shape;
  const parts = [`v=${variant}`, `s=${w === h ? w : `${w}x${h}`}`];
  if (variant === 'custom') parts.push(`k=${k}`, ...(gravity ? ['g=1'] : []), ...(overline ? [] : ['o=0']));
  if (game.setup.first.length) parts.push(`b=${game.setup.first.join('')}`);
  if (game.setup.second.length) parts.push(`w=${game.setup.second.join('')}`);
  if (game.root.turn === 'second') parts.push('t=2');
  const line = game.line();
  if (line.length > 1) parts.push(`m=${line.slice(1).map((node) => node.move).join('')}`);
  if (game.shown !== line.at(-1)) parts.push(`at=${game.shown.ply}`);
  return `#${parts.join('&')}`;
}

/**
 * Returns the game of a link. A {@link LinkError} names the wrong part.
 * @param {string} hash @returns {Game}
 */
export function readLink(hash) {
  const parts = new URLSearchParams(hash.replace(/^[^#]*#/, ''));
  const variant = parts.get('v') ?? '';
  if (!(variant in VARIANTS)) throw new LinkError('link.variant', { what: variant });
  const shape = shapeOf(variant, { ...readSize(parts.get('s')), ...readCustomRules(variant, parts) });
  const stones = (/** @type {string} */ name) => readLinkMoves(parts.get(name) ?? '', { ...shape, gravity: false }, name);
  const turn = parts.get('t') === '2' ? /** @type {const} */ ('second') : /** @type {const} */ ('first');
  const game = new Game(shape, { first: stones('b'), second: stones('w'), turn });
  const moves = readLinkMoves(parts.get('m') ?? '', shape, 'm');
  const refused = playMoves(game, moves);
  if (refused >= 0) throw new LinkError('link.moves', { what: moves[refused] ?? '', at: refused + 1 });
  const { live } = game;
  const at = Number(parts.get('at') ?? live.ply);
  if (!Number.isInteger(at) || at < 0 || at > live.ply) throw new LinkError('link.at', { what: parts.get('at') ?? '', n: live.ply });
  game.show(live.path()[at] ?? live);
  return game;
}

/** @param {string | null} text */
function readSize(text) {
  if (text === null) return {};
  const [w = NaN, h = w] = text.split(/[x:]/).map(Number);
  const good = [w, h].every((side) => Number.isInteger(side) && side >= 1 && side <= 26);
  if (!good) throw new LinkError('link.size', { what: text });
  return { w, h };
}

/** @param {string} variant @param {URLSearchParams} parts */
function readCustomRules(variant, parts) {
  if (variant !== 'custom') return {};
  const k = Number(parts.get('k') ?? 4);
  if (!Number.isInteger(k) || k < 1 || k > 26) throw new LinkError('link.size', { what: parts.get('k') ?? '' });
  return { k, gravity: parts.get('g') === '1', overline: parts.get('o') !== '0' };
}

/** @param {string} text @param {import('./game.js').Shape} shape @param {string} part */
function readLinkMoves(text, shape, part) {
  const read = readMoves(text, shape);
  if (read.at !== undefined) throw new LinkError('link.moves', { what: read.what, at: read.at, part });
  return read.moves;
}
