//! What the mouse and fingers do on the board: hover, press, slide, menu, wheel. It is loaded with the
//! first of their events. What a press on a point means, the application knows.

import { indexOf, nameOf, onBoard } from './game.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Point} Point */

/** How near to a point, in cells, a press must be. */
const NEAR = 0.42;
/** A cell this wide, in CSS pixels, is hit by a finger at once. */
const DIRECT_CELL = 40;
/** In slide mode the stone is so far above the finger, in CSS pixels. */
const ABOVE = 56;
/** A finger that rests so long, in ms, opens the menu of the point. */
const LONG_PRESS = 550;

/** How a touch places stones. @param {App} app @returns {'direct' | 'confirm' | 'slide'} */
export function entryOf(app) {
  const chosen = app.settings.entry;
  if (chosen !== 'auto') return chosen;
  return app.board.cellWidth() >= DIRECT_CELL ? 'direct' : 'confirm';
}

export class Pointer {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The press that lasts; `carries`: it began on the ghost stone; `carried`: the ghost stone has followed it. @type {{ point: Point, touch: boolean, timer: any, slides: boolean, carries: boolean, carried: boolean } | null} */
    this.press = null;
    /** @type {Promise<typeof import('./loupe.js')> | null} */
    this.loupes = null;
  }

  /** Does what an event of the board means. @param {Event} event */
  take(event) {
    switch (event.type) {
      case 'pointerdown': return this.down(/** @type {PointerEvent} */ (event));
      case 'pointermove': return this.move(/** @type {PointerEvent} */ (event));
      case 'pointerup': return this.up(/** @type {PointerEvent} */ (event));
      case 'pointercancel': return this.cancel();
      case 'pointerleave': return this.leave(/** @type {PointerEvent} */ (event));
      case 'contextmenu': return this.menu(/** @type {MouseEvent} */ (event));
      case 'wheel': return this.wheel(/** @type {WheelEvent} */ (event));
      case 'touchmove': if (this.press?.slides && event.cancelable) event.preventDefault();
    }
  }

  /** The point nearest to an event. @param {MouseEvent} event @param {number} [above] so many pixels above the finger */
  aimed(event, above = 0) {
    const { board, game } = this.app;
    const { point, far, inside } = board.pointAt(event.clientX, event.clientY - above);
    const on = onBoard(point, game.shape);
    return { point, near: on && far <= NEAR, inside: on && inside };
  }

  /** The mouse is on a point, or on none. @param {Point | null} point @param {boolean} [all] the whole line of a disc */
  hover(point, all = false) {
    const { app } = this;
    const inside = point && onBoard(point, app.game.shape) ? point : null;
    const key = inside && indexOf(inside, app.game.shape);
    if (key === (app.hover && indexOf(app.hover, app.game.shape)) && !all) return;
    app.hover = inside;
    const line = inside && app.analysis?.lineAt(inside);
    if (line) app.preview = { moves: all ? line.pv : line.pv.slice(0, 10), kind: line.kind, from: 'disc' };
    else if (app.preview?.from === 'disc') app.preview = null;
    app.refresh();
  }

  /** @param {Point} point */
  pointMenu(point) {
    void import('./menus.js').then((menus) => menus.ofPoint(this.app, point));
  }

  release() {
    if (this.press) clearTimeout(this.press.timer);
    this.press = null;
    this.loupe(null);
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0) return;
    const touch = event.pointerType !== 'mouse';
    const slides = touch && entryOf(this.app) === 'slide';
    const { point, near } = this.aimed(event);
    this.release();
    const carries = touch && this.isGhost(point);
    const timer = touch && near && !slides ? setTimeout(() => { this.release(); this.pointMenu(point); }, LONG_PRESS) : 0;
    if (near || slides) this.press = { point, touch, timer, slides, carries, carried: false };
    if (slides) this.slide(event);
  }

  /** Draws the enlarged view above a finger, or takes it away. @param {Point | null} point @param {number} [x] @param {number} [y] */
  loupe(point, x = 0, y = 0) {
    if (point) this.loupes ??= import('./loupe.js');
    void this.loupes?.then((loupe) => loupe.draw(this.app, point, x, y));
  }

  /** @param {PointerEvent} event */
  slide(event) {
    const { point, inside } = this.aimed(event, ABOVE);
    this.hover(inside ? point : null);
    this.loupe(inside ? point : null, event.clientX, event.clientY);
  }

  /** @param {Point} point */
  isGhost(point) {
    const { aimed, game } = this.app;
    return aimed !== null && indexOf(aimed, game.shape) === indexOf(point, game.shape);
  }

  /** The ghost stone follows the finger that took it, to points where a stone may be put. Says whether it moved. @param {Point} point */
  carry(point) {
    const { app } = this;
    const { game } = app;
    const target = game.target(game.shown, point);
    if (!target || this.isGhost(target) || game.shown.judged?.forbidden.has(nameOf(target))) return false;
    app.aimed = target;
    app.refresh();
    return true;
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { app, press } = this;
    if (press?.slides) return this.slide(event);
    const { point, near } = this.aimed(event);
    if (press?.touch && indexOf(point, app.game.shape) !== indexOf(press.point, app.game.shape)) clearTimeout(press.timer);
    if (press?.carries) press.carried = this.carry(point) || press.carried;
    if (event.pointerType === 'mouse') this.hover(near ? point : null, event.shiftKey);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { app, press } = this;
    this.release();
    if (!press || event.button !== 0) return;
    const { point, near, inside } = this.aimed(event, press.slides ? ABOVE : 0);
    if (press.slides) {
      this.hover(null);
      if (inside) app.tap(point);
      return;
    }
    if (press.carried || !near || indexOf(point, app.game.shape) !== indexOf(press.point, app.game.shape)) return;
    if (press.touch && entryOf(app) === 'confirm') app.aimAt(point);
    else app.tap(point);
  }

  cancel() {
    this.release();
    this.hover(null);
  }

  /** @param {PointerEvent} event */
  leave(event) {
    if (!this.press?.slides && event.pointerType === 'mouse') this.hover(null);
  }

  /** @param {MouseEvent} event */
  menu(event) {
    const { point, near } = this.aimed(event);
    if (near) this.pointMenu(point);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!this.app.settings.wheel || event.ctrlKey) return;
    event.preventDefault();
    this.app.step(event.deltaY > 0 ? 1 : -1);
  }
}
