//! Writes and reads links. A link holds a board and the line through the position shown.

import { courseText, readCourse } from './course.js';
import { Game, VARIANTS, shapeOf } from './game.js';
import { playMoves, readMoves } from './notation.js';

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
 * @param {Game} game @param {import('./game.js').Node} [end] a position; the link then holds the moves up to it, and not the course of the opening
 */
export function linkOf(game, end) {
  const { variant, w, h, k, gravity, overline } = game.shape;
  const parts = [`v=${variant}`, `s=${w === h ? w : `${w}x${h}`}`];
  if (variant === 'custom') parts.push(`k=${k}`, ...(gravity ? ['g=1'] : []), ...(overline ? [] : ['o=0']));
  if (game.setup.first.length) parts.push(`b=${game.setup.first.join('')}`);
  if (game.setup.second.length) parts.push(`w=${game.setup.second.join('')}`);
  if (game.root.turn === 'second') parts.push('t=2');
  if (game.course && !end) parts.push(`o=${courseText(game.course).replaceAll(' ', '.')}`);
  const line = end ? end.path() : game.line();
  const moves = line.slice(1).map((node) => node.move);
  if (moves.length) parts.push(`m=${moves.join('')}`);
  if (!end && game.shown !== line.at(-1)) parts.push(`at=${game.shown.ply}`);
  return `#${parts.join('&')}`;
}

/**
 * Returns the game of a link. A {@link LinkError} names the wrong part.
 * @param {string} hash @returns {Game}
 */
export function readLink(hash) {
  const parts = new URLSearchParams(hash.replace(/^[^#]*#/, ''));
  const variant = parts.get('v') ?? '';
  if (!Object.hasOwn(VARIANTS, variant)) throw new LinkError('link.variant', { what: variant });
  const shape = shapeOf(variant, { ...readSize(parts.get('s')), ...readCustomRules(variant, parts) });
  const stones = (/** @type {string} */ name) => readLinkMoves(parts.get(name) ?? '', { ...shape, gravity: false }, name);
  const turn = parts.get('t') === '2' ? /** @type {const} */ ('second') : /** @type {const} */ ('first');
  const game = new Game(shape, { first: stones('b'), second: stones('w'), turn });
  const moves = readLinkMoves(parts.get('m') ?? '', shape, 'm');
  const refused = playMoves(game, moves);
  if (refused >= 0) throw new LinkError('link.moves', { what: moves[refused] ?? '', at: refused + 1 });
  if (variant !== 'custom' && parts.has('o')) {
    game.course = readCourse(parts.get('o') ?? '');
    if (!game.course) throw new LinkError('link.opening', { what: parts.get('o') ?? '' });
  }
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
