//! The magnifier above a sliding finger: the chosen point and its neighbours, enlarged.

import { el, svg } from '../base/text.js';
import { indexOf } from '../record/game.js';

/** @typedef {import('./view.js').Controls} App */

/** The magnifier, while it is shown. @type {HTMLElement | null} */
let node = null;

/** The diameter, in CSS pixels. */
const SIZE = 112;
/** The width of the part of the board that is shown, in board units. */
const ACROSS = 120;

/**
 * Draws the magnifier around a point at the finger's place, or removes it if `point` is null.
 * @param {App} app @param {import('../record/game.js').Point | null} point @param {number} x @param {number} y
 */
export function draw(app, point, x, y) {
  if (!point) {
    node?.remove();
    node = null;
    return;
  }
  app.board.picture.id = 'picture';
  const [cx, cy] = app.board.at(indexOf(point, app.game.shape));
  node ??= document.body.appendChild(el('div.magnifier', { 'aria-hidden': 'true' }));
  const { width, height } = app.board.size ?? { width: 0, height: 0 };
  const view = svg(
    'svg',
    { viewBox: `${cx - ACROSS / 2} ${cy - ACROSS / 2} ${ACROSS} ${ACROSS}`, width: SIZE, height: SIZE },
    svg('use', { href: '#picture', width, height }),
  );
  node.replaceChildren(view);
  node.style.left = `${Math.min(Math.max(x - SIZE / 2, 4), innerWidth - SIZE - 4)}px`;
  node.style.top = `${Math.max(y - SIZE - 96, 4)}px`;
}
