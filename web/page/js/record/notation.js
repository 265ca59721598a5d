//! Reads lists of moves: typed, from links and from other programs. Plays them in a game.

import { nameOf, onBoard, pointOf } from './game.js';

/** @typedef {import('./game.js').Game} Game */
/** @typedef {import('./game.js').Shape} Shape */

/**
 * Reads moves: `h8i9`, `h8 i9`, `1. h8 i9`, or columns as digits where stones fall. An error gives
 * the wrong text `what` and its character `at`, from 1.
 * @param {string} text @param {Shape} shape
 * @returns {{ moves: string[], at?: undefined } | { at: number, what: string }}
 */
export function readMoves(text, shape) {
  /** @type {string[]} */
  const moves = [];
  /** @type {number[]} */
  const heights = [];
  const token = /([a-z])(\d{0,2})|(\d+)\.|(\d)|[\s,;]+/giy;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const found = token.exec(text);
    if (!found) return { at: at + 1, what: text.slice(at, at + 8) };
    const [all, letter, row, number, digit] = found;
    if (number || !all.trim() || /^[,;]/.test(all)) continue;
    const c = letter ? letter.toLowerCase().charCodeAt(0) - 97 : Number(digit) - 1;
    const r = shape.gravity ? (heights[c] ?? 0) : Number(row) - 1;
    const wrongRow = shape.gravity ? row && Number(row) !== r + 1 : !row;
    if (wrongRow || !onBoard({ c, r }, shape)) return { at: at + 1, what: all };
    heights[c] = r + 1;
    moves.push(nameOf({ c, r }));
  }
  const twice = shape.gravity ? -1 : moves.findIndex((move, i) => moves.indexOf(move) < i);
  return twice < 0 ? { moves } : { at: text.toLowerCase().lastIndexOf(moves[twice] ?? '') + 1, what: moves[twice] ?? '' };
}

/**
 * Plays moves from the start of a game and shows the last position. Returns the index of the first move that
 * the game refuses; -1 if it takes all.
 * @param {Game} game @param {string[]} moves
 */
export function playMoves(game, moves) {
  let node = game.root;
  for (const [i, move] of moves.entries()) {
    const target = game.target(node, pointOf(move, game.shape) ?? { c: -1, r: -1 });
    if (!target) return i;
    node = game.add(node, nameOf(target));
  }
  game.live = node;
  game.show(node);
  return -1;
}
