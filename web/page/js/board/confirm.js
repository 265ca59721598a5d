//! The bar under the board that confirms a stone on a touch screen.

import { byId, el, icon, setAttribute, setText, t } from '../base/text.js';
import { entryOf } from './pointer.js';
import { nameOf } from '../record/game.js';

/** @typedef {import('./view.js').Controls} App */

/** Below this cell width, in CSS pixels, the bar shows arrows and a zoom button. */
const NUDGE_CELL = 24;

/** Arrows of the bar: step of column, step of row, sign, name. */
const NUDGES = /** @type {[number, number, string, string][]} */ ([
  [-1, 0, '←', 'left'],
  [0, 1, '↑', 'up'],
  [0, -1, '↓', 'down'],
  [1, 0, '→', 'right'],
]);

/** Builds a button that shows only a sign. @param {string} label @param {Record<string, any>} attributes @param {Node | string} sign */
const button = (label, attributes, sign) =>
  el('button', { ...attributes, 'data-label': label, 'aria-label': t(label), title: t(label) }, sign);

export class ConfirmBar {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    byId('confirm').replaceChildren(
      button('place.remove', { id: 'unplace' }, icon('close', 'M4.5 4.5l11 11m0-11l-11 11')),
      el('button.primary', { id: 'place' }, icon('check', 'M3.5 10.5l4.5 4.5 8.5-9.5'), el('span', { id: 'placetext' })),
      el(
        'div',
        { id: 'nudges', hidden: true },
        ...NUDGES.map(([dc, dr, sign, name]) => button(`nudge.${name}`, { onclick: () => app.nudge(dc, dr) }, sign)),
        button('zoom', { id: 'zoom' }, icon('zoom', 'M13.5 8.5a5 5 0 1 1-10 0a5 5 0 1 1 10 0M12.5 12.5l4.5 4.5M6.5 8.5h4m-2-2v4')),
      ),
    );
    byId('place').addEventListener('click', () => {
      if (app.aimed) app.tap(app.aimed);
    });
    byId('unplace').addEventListener('click', () => app.aimAt(null));
    byId('zoom').addEventListener('click', () => app.toggleZoom());
  }

  /** The texts change with the next `paint`. */
  reset() {}

  paint() {
    const { app } = this;
    const bar = byId('confirm');
    const coarse = matchMedia('(pointer: coarse)').matches;
    const visible = app.aimed !== null || (coarse && entryOf(app) === 'confirm' && app.mode === 'play' && !app.over());
    bar.hidden = !visible;
    if (!visible) return;
    const place = /** @type {HTMLButtonElement} */ (byId('place'));
    place.disabled = !app.aimed;
    const target = app.aimed && app.game.target(app.game.shown, app.aimed);
    setText(byId('placetext'), target ? t('place.at', { move: nameOf(target).toUpperCase() }) : t('place.tap'));
    /** @type {HTMLButtonElement} */ (byId('unplace')).disabled = !app.aimed;
    const small = app.board.cellWidth() < NUDGE_CELL || app.zoomed;
    byId('nudges').hidden = !small;
    zoom(app);
    setAttribute(byId('zoom'), 'aria-pressed', app.zoomed);
  }
}

/** Doubles the scale around the ghost stone if the board is zoomed. @param {App} app */
function zoom({ board, zoomed, aimed }) {
  const { w, h } = board.shape;
  board.host.classList.toggle('zoomed', zoomed);
  board.host.style.setProperty('--zx', `${aimed ? ((aimed.c + 0.5) / w) * 100 : 50}%`);
  board.host.style.setProperty('--zy', `${aimed ? (1 - (aimed.r + 0.5) / h) * 100 : 50}%`);
}
