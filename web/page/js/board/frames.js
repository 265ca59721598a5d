//! The boards that are not of wood: the frame of four in a row, and the cells of tic-tac-toe. Loaded with the first of them.

import { svg } from '../base/text.js';

/** What a drawing needs of the board. @typedef {{ shape: { w: number, h: number, gravity: boolean }, size?: { width: number, height: number }, x: (c: number) => number, y: (r: number) => number, at: (i: number) => [number, number] }} Board */

/** The radius of the corners of the frame of four in a row. */
const FRAME_CORNER = 11;
/** Half the width of a cell. */
const HALF = 20;

/** Draws what lies under the stones. @param {Board} board */
export const ground = (board) => (board.shape.gravity ? frame(board) : cells(board));

/** @param {Board} board */
function frame(board) {
  const { w, h } = board.shape;
  const { width, height } = /** @type {{ width: number, height: number }} */ (board.size);
  const group = svg('g', null, svg('rect', { class: 'frame', x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: FRAME_CORNER }));
  const lit = svg('g', { class: 'columns' });
  for (let c = 0; c < w; c++) {
    lit.append(svg('rect', { class: `column c${c}`, x: board.x(c) - 18.5, y: 3, width: 37, height: height - 6, rx: 6 }));
  }
  group.append(lit);
  for (let i = 0; i < w * h; i++) {
    const [cx, cy] = board.at(i);
    group.append(
      svg('circle', { class: `hole c${i % w}`, cx, cy, r: 16.4 }),
      svg('path', { class: 'depth', d: `M${cx - 15.4} ${cy}A15.4 15.4 0 0 1 ${cx + 15.4} ${cy}A15.4 12.4 0 0 0 ${cx - 15.4} ${cy}Z` }),
    );
  }
  const letters = svg('g', { class: 'letters' });
  for (let c = 0; c < w; c++) letters.append(svg('text', { x: board.x(c), y: height - 9, class: `c${c}` }, String.fromCharCode(65 + c)));
  group.append(letters);
  return group;
}

/** @param {Board} board */
function cells(board) {
  const { w, h } = board.shape;
  let d = '';
  for (let c = 1; c < w; c++) d += `M${board.x(c) - HALF} ${board.y(h - 1) - HALF}V${board.y(0) + HALF}`;
  for (let r = 1; r < h; r++) d += `M${board.x(0) - HALF} ${board.y(r) + HALF}H${board.x(w - 1) + HALF}`;
  return svg('g', null, svg('rect', { class: 'paper', ...board.size }), svg('path', { class: 'celllines', d }));
}
