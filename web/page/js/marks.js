//! Marks on the board: discs with values, previewed lines, hints, flags, the winning line, and the
//! values above the columns of four in a row.

import { el, svg } from './text.js';

/** @typedef {import('./board.js').BoardView} BoardView */
/** @typedef {import('./board.js').Scene} Scene */
/** @typedef {import('./board.js').Disc} Disc */
/** @typedef {import('./board.js').Colour} Colour */
/** @typedef {import('./game.js').Point} Point */

/** The edge around the first stone of a line. */
const EDGE = 20.2;

/** Draws the marks of a scene. @param {BoardView} board @param {Scene} scene */
export function paint(board, scene) {
  const { discs, line } = scene;
  board.layer('flags', scene.flags, (i) => [svg('path', { class: 'flag', transform: board.move(i), d: 'M8 -17l7 4-7 4z' })]);
  board.layer('discs', discs.map((disc) => ({ disc, small: line.length > 0 })), ({ disc, small }) => [drawDisc(board, disc, small)]);
  board.layer('line', line, (stone) => [lineStone(board, stone)]);
  board.layer('hint', [scene.hint], (i) => (i === null ? [] : hint(board, i)));
  board.layer('win', [scene.win], (points) => winLine(board, points));
}

/** @param {BoardView} board @param {number} i */
function hint(board, i) {
  const at = { transform: board.move(i) };
  return [svg('circle', { class: 'hintring', r: 17, ...at }), svg('circle', { class: 'hintdot', r: 4, ...at })];
}

/** @param {BoardView} board @param {{ i: number, colour: Colour, text: string, edge: string }} stone */
function lineStone(board, { i, colour, text, edge }) {
  const group = board.stone(i, colour, text, '');
  group.classList.add('preview');
  if (edge) group.append(svg('circle', { class: `edge ${edge}`, r: EDGE }));
  return group;
}

/** @param {BoardView} board @param {Disc} disc @param {boolean} small */
function drawDisc(board, { i, kind, text }, small) {
  const scale = small ? ' scale(.72)' : '';
  const group = svg('g', { class: `disc ${kind}`, transform: board.move(i) + scale });
  if (kind === 'best') group.append(svg('circle', { class: 'outer', r: 20 }), svg('circle', { class: 'white', r: 18 }));
  group.append(svg('circle', { class: 'fill', r: kind === 'best' ? 16 : 17.5 }));
  if (kind !== 'best') group.append(svg('circle', { class: 'rim', r: 17 }));
  group.append(svg('text', { class: text.length > 2 ? 'small' : '' }, text));
  return group;
}

/** @param {BoardView} board @param {Point[]} points */
function winLine(board, points) {
  const [from, to] = [points[0], points.at(-1)];
  if (!from || !to) return [];
  const ends = { x1: board.x(from.c), y1: board.y(from.r), x2: board.x(to.c), y2: board.y(to.r) };
  return [svg('line', { class: 'winhalo', ...ends }), svg('line', { class: 'winline', ...ends })];
}

/**
 * Values above the columns of four in a row.
 * @param {BoardView} board
 * @param {({ kind: string, sign: string, text: string } | null)[]} values one each column; null: nothing known
 */
export function paintChips(board, values) {
  const key = JSON.stringify(values);
  if (board.drawn.get('chips') === key) return;
  board.drawn.set('chips', key);
  board.chips.replaceChildren(...values.map((value) => {
    if (!value) return el('span');
    const chip = el(`span.chip.${value.kind}`, null, value.sign ? el('i', null, value.sign) : null, value.text);
    return el('span', null, chip);
  }));
}
