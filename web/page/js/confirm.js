//! The bar under the board with which a finger confirms a stone.

import { byId, setAttribute, setText, t } from './text.js';
import { entryOf } from './pointer.js';
import { nameOf } from './game.js';

/** @typedef {import('./main.js').App} App */

/** Below this width of a cell, in CSS pixels, the bar has arrows and a zoom. */
const NUDGE_CELL = 22;

/** The bar under the board with which a finger confirms a stone. @param {App} app */
export function listenConfirm(app) {
  byId('place').addEventListener('click', () => { if (app.aimed) app.tap(app.aimed); });
  byId('unplace').addEventListener('click', () => app.aimAt(null));
  byId('zoom').addEventListener('click', () => { app.zoomed = !app.zoomed; app.refresh(); });
  for (const button of document.querySelectorAll('[data-nudge]')) {
    const [dc, dr] = (/** @type {HTMLElement} */ (button).dataset.nudge ?? '0,0').split(',').map(Number);
    button.addEventListener('click', () => app.playing((play) => play.nudge(dc ?? 0, dr ?? 0)));
  }
}

/** Draws the confirm bar. @param {App} app */
export function paintConfirm(app) {
  const bar = byId('confirm');
  const coarse = matchMedia('(pointer: coarse)').matches;
  const wanted = app.aimed !== null || (coarse && entryOf(app) === 'confirm' && app.mode === 'play' && app.mayPlay());
  bar.hidden = !wanted;
  if (!wanted) return;
  const place = /** @type {HTMLButtonElement} */ (byId('place'));
  place.disabled = !app.aimed;
  const target = app.aimed && app.game.target(app.game.shown, app.aimed);
  setText(byId('placetext'), target ? t('place.at', { move: nameOf(target).toUpperCase() }) : t('place.tap'));
  /** @type {HTMLButtonElement} */ (byId('unplace')).disabled = !app.aimed;
  const tiny = app.board.cellWidth() < NUDGE_CELL || app.zoomed;
  byId('nudges').hidden = !tiny;
  zoom(app);
  setAttribute(byId('zoom'), 'aria-pressed', app.zoomed);
}

/** Shows the half of the board around the ghost stone twice as large, or all of it. @param {App} app */
function zoom({ board, zoomed, aimed }) {
  const { w, h } = board.shape;
  board.host.classList.toggle('zoomed', zoomed);
  board.host.style.setProperty('--zx', `${aimed ? ((aimed.c + 0.5) / w) * 100 : 50}%`);
  board.host.style.setProperty('--zy', `${aimed ? (1 - (aimed.r + 0.5) / h) * 100 : 50}%`);
}
