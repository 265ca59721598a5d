//! Where games outlive the page: the browser's storage and the link. A game is kept under its own
//! name with a count of states, so that two tabs with one game cannot both write the next state.

import { Game, VARIANTS, nameOf, pointOf, shapeOf } from './game.js';
import { readMoves } from './notation.js';
import { readSgf, writeSgf } from './sgf.js';

/** @typedef {import('./game.js').Node} Node */

const PREFIX = 'tengen.game.';
const CURRENT = 'tengen.current';
const KEPT = 20;

/**
 * @typedef {object} Saved
 * @property {string} id
 * @property {number} revision
 * @property {number} time
 * @property {string} sgf
 * @property {number[]} shown the way through the tree to the position shown
 * @property {number[]} live
 * @property {Pick<Game, 'seats' | 'level' | 'clock' | 'whiteFirst' | 'result' | 'swap' | 'events'>} rest
 */

/** The way to a position: which child, move by move. @param {Node} node */
function wayTo(node) {
  return node.path().slice(1).map((at) => at.parent?.children.indexOf(at) ?? 0);
}

/** @param {Game} game @param {number[]} way */
function follow(game, way) {
  let node = game.root;
  for (const index of way) node = node.children[index] ?? node;
  return node;
}

/** Writes a game as text for the storage. @param {Game} game @returns {Saved} */
export function pack(game) {
  const { id, revision, seats, level, clock, whiteFirst, result, swap, events } = game;
  const rest = { seats, level, clock, whiteFirst, result, swap, events };
  return { id, revision, time: Date.now(), sgf: writeSgf(game), shown: wayTo(game.shown), live: wayTo(game.live), rest };
}

/** Reads a game from the storage's text. @param {Saved} saved */
export function unpack(saved) {
  const game = readSgf(saved.sgf);
  Object.assign(game, saved.rest, { id: saved.id, revision: saved.revision });
  game.live = follow(game, saved.live);
  game.show(game.live);
  game.show(follow(game, saved.shown));
  return game;
}

/**
 * The state that the storage has of a game.
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
 * Saves the next state of a game. Returns false, and writes nothing, where another tab has written
 * one meanwhile.
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
  prune(storage, KEPT);
  return true;
}

/**
 * Whether the storage holds a newer revision of a game, or another record of the same revision. The
 * second happens when two tabs save at once: both then take the stored game.
 * @param {Storage} storage @param {Game} game
 */
export function isStoredOther(storage, game) {
  const known = savedState(storage, game.id);
  if (!known || known.revision < game.revision) return false;
  return known.revision > game.revision || known.sgf !== writeSgf(game);
}

/** Keeps the newest games only. @param {Storage} storage @param {number} kept */
function prune(storage, kept) {
  const current = storage.getItem(CURRENT);
  const names = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? '').filter((name) => name.startsWith(PREFIX));
  if (names.length <= kept) return;
  const time = (/** @type {string} */ name) => savedState(storage, name.slice(PREFIX.length))?.time ?? 0;
  const old = names.filter((name) => name !== PREFIX + current).sort((a, b) => time(b) - time(a)).slice(Math.max(kept - 1, 0));
  for (const name of old) storage.removeItem(name);
}

/**
 * The game that this tab had, else the newest one.
 * @param {Storage} storage @param {string | null} id @returns {Game | null}
 */
export function restore(storage, id) {
  const saved = savedState(storage, id ?? '') ?? savedState(storage, storage.getItem(CURRENT) ?? '');
  return saved && unpack(saved);
}

/** The id of the game that a change of the storage is about. @param {string | null} key */
export const gameOfKey = (key) => (key?.startsWith(PREFIX) ? key.slice(PREFIX.length) : null);

/** A fault of a link: which part, and what it holds. */
export class LinkFault extends Error {
  /** @param {string} key @param {Record<string, string | number>} values */
  constructor(key, values) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/**
 * The hash of a link to the position shown. The line through it is in the link, variations are not.
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
 * Reads a link. A fault names the part that is wrong.
 * @param {string} hash @returns {Game}
 */
export function readLink(hash) {
  const parts = new URLSearchParams(hash.replace(/^[^#]*#/, ''));
  const variant = parts.get('v') ?? '';
  if (!(variant in VARIANTS)) throw new LinkFault('link.variant', { what: variant });
  const shape = shapeOf(variant, { ...sizeOf(parts.get('s')), ...ownRules(variant, parts) });
  const stones = (/** @type {string} */ name) => movesOf(parts.get(name) ?? '', { ...shape, gravity: false }, name);
  const turn = parts.get('t') === '2' ? /** @type {const} */ ('second') : /** @type {const} */ ('first');
  const game = new Game(shape, { first: stones('b'), second: stones('w'), turn });
  let node = game.root;
  for (const move of movesOf(parts.get('m') ?? '', shape, 'm')) {
    const target = game.target(node, pointOf(move, shape) ?? { c: -1, r: -1 });
    if (!target) throw new LinkFault('link.moves', { what: move, at: node.ply + 1 });
    node = game.add(node, nameOf(target));
  }
  game.live = node;
  const at = Number(parts.get('at') ?? node.ply);
  if (!Number.isInteger(at) || at < 0 || at > node.ply) throw new LinkFault('link.at', { what: parts.get('at') ?? '', n: node.ply });
  game.show(node);
  game.show(node.path()[at] ?? node);
  return game;
}

/** @param {string | null} text */
function sizeOf(text) {
  if (text === null) return {};
  const [w = NaN, h = w] = text.split(/[x:]/).map(Number);
  const good = [w, h].every((side) => Number.isInteger(side) && side >= 1 && side <= 26);
  if (!good) throw new LinkFault('link.size', { what: text });
  return { w, h };
}

/** @param {string} variant @param {URLSearchParams} parts */
function ownRules(variant, parts) {
  if (variant !== 'custom') return {};
  const k = Number(parts.get('k') ?? 4);
  if (!Number.isInteger(k) || k < 1 || k > 26) throw new LinkFault('link.size', { what: parts.get('k') ?? '' });
  return { k, gravity: parts.get('g') === '1', overline: parts.get('o') !== '0' };
}

/** @param {string} text @param {import('./game.js').Shape} shape @param {string} part */
function movesOf(text, shape, part) {
  const read = readMoves(text, shape);
  if (read.at !== undefined) throw new LinkFault('link.moves', { what: read.what, at: read.at, part });
  return read.moves;
}
