//! Mouse, touch and keys on the board. Each ends in a call of the application; what a move means is
//! not known here.

import { byId, setAttribute, setText, t } from './text.js';
import { indexOf, nameOf, onBoard } from './game.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Point} Point */

/** How near to a point, in cells, a press must be. */
const NEAR = 0.42;
/** A cell this wide, in CSS pixels, is hit by a finger at once. */
const DIRECT_CELL = 40;
const NUDGE_CELL = 22;
/** In slide mode the stone is so far above the finger, in CSS pixels. */
const ABOVE = 56;
const LONG_PRESS = 550;

/** How a touch places stones. @param {App} app @returns {'direct' | 'confirm' | 'slide'} */
export function entryOf(app) {
  const chosen = app.settings.entry;
  if (chosen !== 'auto') return chosen;
  return app.board.cellWidth() >= DIRECT_CELL ? 'direct' : 'confirm';
}

/** Follows mouse and finger on the board. @param {App} app */
export function listenPointer(app) {
  const area = app.board.box;
  /** @type {{ point: Point, touch: boolean, timer: any, slides: boolean } | null} */
  let press = null;
  const aimed = (/** @type {PointerEvent | MouseEvent} */ event, above = 0) => {
    const { point, far, inside } = app.board.pointAt(event.clientX, event.clientY - above);
    return { point, inside, near: far <= NEAR && onBoard(point, app.game.shape) };
  };
  const release = () => {
    if (press) clearTimeout(press.timer);
    press = null;
    app.loupe(null);
  };

  area.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const touch = event.pointerType !== 'mouse';
    const slides = touch && entryOf(app) === 'slide';
    const { point, near } = aimed(event);
    release();
    const timer = touch && !slides ? setTimeout(() => { release(); if (near) app.pointMenu(point); }, LONG_PRESS) : 0;
    if (near || slides) press = { point, touch, timer, slides };
    if (slides) slide(event);
  });
  const slide = (/** @type {PointerEvent} */ event) => {
    const { point, inside } = aimed(event, ABOVE);
    const on = inside && onBoard(point, app.game.shape);
    app.setHover(on ? point : null);
    app.loupe(on ? point : null, event.clientX, event.clientY);
  };
  area.addEventListener('pointermove', (event) => {
    if (press?.slides) return slide(event);
    if (press?.touch && aimed(event).point.c !== press.point.c) clearTimeout(press.timer);
    const { point, near } = aimed(event);
    if (event.pointerType === 'mouse') app.setHover(near ? point : null, event.shiftKey);
  });
  area.addEventListener('pointerup', (event) => {
    const begun = press;
    release();
    if (!begun || event.button !== 0) return;
    const { point, near, inside } = aimed(event, begun.slides ? ABOVE : 0);
    if (begun.slides) {
      app.setHover(null);
      if (inside && onBoard(point, app.game.shape)) app.tap(point);
      return;
    }
    const still = near && indexOf(point, app.game.shape) === indexOf(begun.point, app.game.shape);
    if (!still) return;
    if (begun.touch && entryOf(app) === 'confirm') app.aimAt(point);
    else app.tap(point);
  });
  area.addEventListener('pointercancel', () => { release(); app.setHover(null); });
  area.addEventListener('pointerleave', (event) => {
    if (press?.slides) return;
    if (event.pointerType === 'mouse') app.setHover(null);
  });
  area.addEventListener('contextmenu', (event) => {
    event.preventDefault();
    const { point, near } = aimed(event);
    if (near) app.pointMenu(point);
  });
  area.addEventListener('wheel', (event) => {
    if (!app.settings.wheel || event.ctrlKey) return;
    event.preventDefault();
    app.step(event.deltaY > 0 ? 1 : -1);
  }, { passive: false });
  area.addEventListener('touchmove', (event) => { if (press?.slides && event.cancelable) event.preventDefault(); }, { passive: false });
}

/** The bar under the board with which a finger confirms a stone. @param {App} app */
export function listenConfirm(app) {
  byId('place').addEventListener('click', () => { if (app.aimed) app.tap(app.aimed); });
  byId('unplace').addEventListener('click', () => app.aimAt(null));
  byId('zoom').addEventListener('click', () => app.toggleZoom());
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
  setAttribute(byId('zoom'), 'aria-pressed', app.zoomed);
}

/** Follows keys; what they do is loaded with the first of them. @param {App} app */
export function listenKeys(app) {
  const { grid } = app.board;
  /** @type {typeof import('./keys.js') | null} */
  let keys = null;
  const load = async () => (keys ??= await import('./keys.js'));
  grid.addEventListener('keydown', (event) => {
    if (!app.settings.keys && !/^(Arrow|Enter| )/.test(event.key)) return;
    if (event.key === 'Tab') return;
    if (keys?.boardKey(app, event)) event.preventDefault();
    else if (!keys) void load().then((loaded) => loaded.boardKey(app, event));
    else return;
    event.stopPropagation();
  });
  grid.addEventListener('focusin', (event) => {
    void load();
    const i = app.board.indexOfCell(event.target);
    if (i >= 0) app.setCursor(i, grid.querySelector(':focus-visible') !== null);
  });
  grid.addEventListener('focusout', () => app.setCursor(null));
  document.addEventListener('keydown', (event) => {
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    if (target.matches('input, select, textarea') || target.closest('dialog, .menu') || !app.settings.keys) return;
    if (keys?.globalKey(app, event)) event.preventDefault();
    else if (!keys) void load().then((loaded) => loaded.globalKey(app, event));
  });
}
