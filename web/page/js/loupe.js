//! The loupe over a finger that slides: the points around the one aimed at, enlarged.

import { el, svg } from './text.js';
import { indexOf } from './game.js';

/** @typedef {import('./main.js').App} App */

/** The loupe while it is shown. @type {HTMLElement | null} */
let node = null;

const SIZE = 112;
/** Board units shown across. */
const ACROSS = 120;

/**
 * Draws the loupe, or takes it away where no point is aimed at.
 * @param {App} app @param {import('./game.js').Point | null} point @param {number} x @param {number} y
 */
export function draw(app, point, x, y) {
  if (!point) {
    node?.remove();
    node = null;
    return;
  }
  app.board.picture.id = 'picture';
  const [cx, cy] = app.board.at(indexOf(point, app.game.shape));
  node ??= document.body.appendChild(el('div.loupe', { 'aria-hidden': 'true' }));
  const { width, height } = app.board.size ?? { width: 0, height: 0 };
  const view = svg('svg', { viewBox: `${cx - ACROSS / 2} ${cy - ACROSS / 2} ${ACROSS} ${ACROSS}`, width: SIZE, height: SIZE }, svg('use', { href: '#picture', width, height }));
  node.replaceChildren(view);
  node.style.left = `${Math.min(Math.max(x - SIZE / 2, 4), innerWidth - SIZE - 4)}px`;
  node.style.top = `${Math.max(y - SIZE - 96, 4)}px`;
}
