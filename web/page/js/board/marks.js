//! Marks on the board: crosses, the last move, ghosts, the cursor, discs with values, previewed lines,
//! hints, flags, the winning line, and the values above the columns of four in a row.

import { el, hasChanged, svg } from '../base/text.js';

/** @typedef {import('./view.js').BoardView} BoardView */
/** @typedef {import('./view.js').Scene} Scene */
/** @typedef {import('./view.js').Disc} Disc */
/** @typedef {import('./view.js').Colour} Colour */
/** @typedef {import('../record/game.js').Point} Point */

/** The radius of the edge around the first stone of a line. */
const EDGE = 20.2;

/** Draws the marks of a scene. @param {BoardView} board @param {Scene} scene */
export function paint(board, scene) {
  const { discs, line } = scene;
  board.layer('crosses', scene.crosses, (i) => cross(board, i));
  board.layer(
    'last',
    [scene.last === null ? null : { i: scene.last, ring: scene.lastRing, colour: scene.stones[scene.last]?.colour }],
    (last) => (last ? lastMark(board, last) : []),
  );
  board.layer('chosen', scene.chosen ?? [], (i) => [
    svg('rect', { class: 'chosen', x: board.at(i)[0] - 19, y: board.at(i)[1] - 19, width: 38, height: 38 }),
  ]);
  board.layer('barred', scene.barred ?? [], (i) => [
    svg('path', { class: 'barred', transform: board.translate(i), d: 'M-7 0a7 7 0 1 0 14 0a7 7 0 1 0 -14 0M-5 5L5 -5' }),
  ]);
  board.layer('flags', scene.flags, (i) => [svg('path', { class: 'flag', transform: board.translate(i), d: 'M8 -17l7 4-7 4z' })]);
  board.layer(
    'discs',
    discs.map((disc) => ({ disc, small: line.length > 0 })),
    ({ disc, small }) => [drawDisc(board, disc, small)],
  );
  board.layer(
    'tree',
    (scene.tree ?? []).map((mark) => ({ ...mark, small: discs.some(({ i }) => i === mark.i) })),
    (mark) => [treeMark(board, mark)],
  );
  board.layer('line', line, (stone) => [lineStone(board, stone)]);
  board.layer('hint', [scene.hint], (i) => (i === null ? [] : hint(board, i)));
  board.layer('winline', [scene.win], (points) => winLine(board, points));
  board.layer('win', scene.win, ({ c, r }) => [
    svg('circle', { class: 'winring', cx: board.x(c), cy: board.y(r), r: board.shape.gravity ? 17 : 19 }),
  ]);
  board.layer('dots', scene.dots, (dot) => [lossDot(board, dot)]);
  board.layer('better', [scene.better ?? null], (i) => (i === null ? [] : betterMark(board, i)));
  board.layer('ghost', [scene.ghost], (ghost) => ghostOn(board, ghost));
  board.layer('cursor', [scene.cursor], (i) => (i === null ? [] : brackets(board, i)));
  board.layer('aim', [scene.aim], (i) => aim(board, i));
}

/** @param {BoardView} board @param {number} i */
function cross(board, i) {
  const [x, y] = board.at(i);
  return [
    svg('circle', { class: 'patch', cx: x, cy: y, r: 10.5 }),
    svg('path', { class: 'cross', d: `M${x - 6.5} ${y - 6.5}l13 13m0 -13l-13 13` }),
  ];
}

/** @param {BoardView} board @param {{ i: number, ring: boolean, colour: Colour | undefined }} last */
function lastMark(board, { i, ring, colour }) {
  const at = { transform: board.translate(i) };
  if (board.hasSigns) return [svg('rect', { class: 'lastcell', x: 12, y: 12, width: 6, height: 6, rx: 2, ...at })];
  if (board.shape.gravity)
    return [svg('circle', { class: 'lastring y', r: 15, ...at }), svg('circle', { class: 'lastdot y', r: 3.2, ...at })];
  return [svg('circle', { class: `${ring ? 'lastring' : 'lastdot'} ${colour}`, r: ring ? 16 : 6, ...at })];
}

/** Draws the ghost stone. A finger that starts on it drags the stone and does not scroll the page. @param {BoardView} board @param {{ i: number, colour: Colour } | null} ghost */
function ghostOn(board, ghost) {
  board.grid.querySelector('.held')?.classList.remove('held');
  if (!ghost) return [];
  board.cells[ghost.i]?.classList.add('held');
  const group = board.stone(ghost.i, ghost.colour, '', '');
  group.classList.add('ghost');
  return [group];
}

/** Draws the four corners of the cursor. @param {BoardView} board @param {number} i */
function brackets(board, i) {
  const d = 'M-18.5 -11v-7.5h7.5M11 -18.5h7.5v7.5M18.5 11v7.5h-7.5M-11 18.5h-7.5v-7.5';
  const at = { transform: board.translate(i), d };
  return [svg('path', { class: 'cursorhalo', ...at }), svg('path', { class: 'cursorline', ...at })];
}

/** Highlights the column and the row of a point. @param {BoardView} board @param {number | null} i */
function aim(board, i) {
  for (const node of board.picture.querySelectorAll('.on')) node.classList.remove('on');
  if (i === null) return [];
  const { w, h, gravity } = board.shape;
  const [c, r] = [i % w, Math.floor(i / w)];
  for (const node of board.picture.querySelectorAll(`.c${c}, .coords .r${r}`)) node.classList.add('on');
  if (gravity) return [];
  return [svg('path', { class: 'aim', d: `M${board.x(0)} ${board.y(r)}H${board.x(w - 1)}M${board.x(c)} ${board.y(0)}V${board.y(h - 1)}` })];
}

/** Draws what a move loses, at the edge of its stone: a shape for each class. @param {BoardView} board @param {{ i: number, kind: string }} dot */
function lossDot(board, { i, kind }) {
  const at = { class: `lossdot ${kind}`, transform: `${board.translate(i)} translate(12.5 12.5)` };
  if (kind === 'mistake') return svg('path', { ...at, d: 'M0 -6.5L6 5H-6Z' });
  if (kind === 'blunder') return svg('path', { ...at, d: 'M0 -7L7 0L0 7L-7 0Z' });
  return svg('circle', { ...at, r: kind === 'doubtful' ? 5.5 : 3.6 });
}

/** Draws the move that a review prefers. @param {BoardView} board @param {number} i */
function betterMark(board, i) {
  return [
    svg('circle', { class: 'betterring', r: 16, transform: board.translate(i) }),
    svg('path', { class: 'betterstar', transform: board.translate(i), d: 'M-6.5 .5l4.5 4.5 8.5 -9.5' }),
  ];
}

/** @param {BoardView} board @param {number} i */
function hint(board, i) {
  const at = { transform: board.translate(i) };
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
  const group = svg('g', { class: `disc ${kind}`, transform: board.translate(i) + scale });
  if (kind === 'best') group.append(svg('circle', { class: 'outer', r: 20 }), svg('circle', { class: 'white', r: 18 }));
  group.append(svg('circle', { class: 'fill', r: kind === 'best' ? 16 : 17.5 }));
  if (kind !== 'best') group.append(svg('circle', { class: 'rim', r: 17 }));
  group.append(svg('text', { class: text.length > 2 ? 'small' : '' }, text));
  return group;
}

/** Draws the letter of a move of the record; at the edge of a value. @param {BoardView} board @param {{ i: number, text: string, small: boolean }} mark */
function treeMark(board, { i, text, small }) {
  const place = small ? ' translate(13 -13) scale(.62)' : '';
  const group = svg('g', { class: 'treemark', transform: board.translate(i) + place });
  group.append(svg('circle', { r: 11.5 }), svg('text', { class: text.length > 2 ? 'small' : '' }, text));
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
 * Draws the values above the columns of four in a row.
 * @param {BoardView} board
 * @param {({ kind: string, sign: string, text: string } | null)[]} values one for each column; null if unknown
 */
export function paintChips(board, values) {
  if (!hasChanged(board.drawn, 'chips', values)) return;
  board.chips.replaceChildren(
    ...values.map((value) => {
      if (!value) return el('span');
      const chip = el(`span.chip.${value.kind}`, null, value.sign ? el('i', null, value.sign) : null, value.text);
      return el('span', null, chip);
    }),
  );
}
