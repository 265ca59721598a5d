//! Mouse and touch on the board: hover, press, slide, menu, wheel. Loaded at the first such event. The
//! application decides what a press on a point means.

import { indexOf, nameOf, onBoard } from '../record/game.js';

/** @typedef {import('./view.js').Controls} App */
/** @typedef {import('../record/game.js').Point} Point */

/** From this cell width on, in CSS pixels, a tap plays immediately. */
const DIRECT_CELL = 40;
/** In slide mode, the distance of the stone above the finger, in CSS pixels. */
const ABOVE = 56;
/** A press of this length, in ms, opens the menu of the point. */
const LONG_PRESS = 550;

/** Returns how a touch places stones. @param {App} app @returns {'direct' | 'confirm' | 'slide'} */
export function entryOf(app) {
  const chosen = app.settings.entry;
  if (chosen !== 'auto') return chosen;
  return app.board.cellWidth() >= DIRECT_CELL ? 'direct' : 'confirm';
}

export class Pointer {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The current press; `onGhost`: it started on the ghost stone; `ghostMoved`: it has dragged the ghost stone. @type {{ point: Point, touch: boolean, timer: any, slides: boolean, onGhost: boolean, ghostMoved: boolean } | null} */
    this.press = null;
    /** The drag that marks points. @type {{ from: Point, bans: boolean } | null} */
    this.area = null;
    /** @type {Promise<typeof import('./loupe.js') | null> | null} */
    this.loupe = null;
  }

  /** Handles an event of the board. @param {Event} event */
  handle(event) {
    switch (event.type) {
      case 'pointerdown':
        return this.down(/** @type {PointerEvent} */ (event));
      case 'pointermove':
        return this.move(/** @type {PointerEvent} */ (event));
      case 'pointerup':
        return this.up(/** @type {PointerEvent} */ (event));
      case 'pointercancel':
        return this.cancel();
      case 'pointerleave':
        return this.leave(/** @type {PointerEvent} */ (event));
      case 'contextmenu':
        return this.menu(/** @type {MouseEvent} */ (event));
      case 'wheel':
        return this.wheel(/** @type {WheelEvent} */ (event));
      case 'touchmove':
        if (this.press?.slides && event.cancelable) event.preventDefault();
    }
  }

  /**
   * Returns the point nearest to an event. `near`: the event is in the cell of the point, or in its column if stones fall.
   * @param {MouseEvent} event @param {number} [above] CSS pixels above the finger
   */
  nearest(event, above = 0) {
    const { board, game } = this.app;
    const { w, h, gravity } = game.shape;
    const { point: cell, inside } = board.pointAt(event.clientX, event.clientY - above);
    const point = { c: Math.min(Math.max(cell.c, 0), w - 1), r: Math.min(Math.max(cell.r, 0), h - 1) };
    return { point, near: gravity ? inside && cell.c === point.c : onBoard(cell, game.shape), inside };
  }

  /** Handles the mouse on a point, or on none. @param {Point | null} point @param {boolean} [all] the whole line of a disc */
  hover(point, all = false) {
    const { app } = this;
    const inside = point && onBoard(point, app.game.shape) ? point : null;
    const key = inside && indexOf(inside, app.game.shape);
    if (key === (app.hover && indexOf(app.hover, app.game.shape)) && !all) return;
    const line = inside && app.lineAt(inside);
    app.setHover(inside, line ? { moves: all ? line.pv : line.pv.slice(0, 10), kind: line.kind, from: 'disc' } : null);
  }

  release() {
    if (this.press) clearTimeout(this.press.timer);
    this.press = null;
    this.magnify(null);
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0) return;
    if (this.beginArea(event)) return;
    const touch = event.pointerType !== 'mouse';
    const slides = touch && entryOf(this.app) === 'slide';
    const { point, near, inside } = this.nearest(event);
    this.release();
    const onGhost = touch && this.isGhost(point);
    const timer =
      touch && near && !slides
        ? setTimeout(() => {
            this.release();
            this.app.pointMenu(point);
          }, LONG_PRESS)
        : 0;
    if (near || slides || (inside && this.setsGhost(touch))) this.press = { point, touch, timer, slides, onGhost, ghostMoved: false };
    if (slides) this.slide(event);
  }

  /** Draws the magnifier above a finger, or removes it. @param {Point | null} point @param {number} [x] @param {number} [y] */
  magnify(point, x = 0, y = 0) {
    // Without the magnifier the stone is placed all the same.
    if (point) this.loupe ??= import('./loupe.js').catch(() => (this.loupe = null));
    void this.loupe?.then((loupe) => loupe?.draw(this.app, point, x, y));
  }

  /** @param {PointerEvent} event */
  slide(event) {
    const { point, inside } = this.nearest(event, ABOVE);
    this.hover(inside ? point : null);
    this.magnify(inside ? point : null, event.clientX, event.clientY);
  }

  /** Whether a press sets a ghost stone, which can be moved: then a press on the edge of the board counts too. @param {boolean} touch */
  setsGhost(touch) {
    return touch && entryOf(this.app) === 'confirm';
  }

  /** @param {Point} point */
  isGhost(point) {
    const { aimed, game } = this.app;
    return aimed !== null && indexOf(aimed, game.shape) === indexOf(point, game.shape);
  }

  /** Drags the ghost stone to a point if a stone may be placed there. Returns whether it moved. @param {Point} point */
  dragGhost(point) {
    const { app } = this;
    const { game } = app;
    const target = game.target(game.shown, point);
    if (!target || this.isGhost(target) || game.shown.info?.forbidden.has(nameOf(target))) return false;
    app.setAim(target);
    return true;
  }

  /** In an analysis, a drag with Shift marks the only points that are searched, with Ctrl points that are not. @param {PointerEvent} event */
  beginArea(event) {
    const bans = event.ctrlKey || event.metaKey;
    const { app } = this;
    if (event.pointerType !== 'mouse' || app.mode !== 'analyse' || app.game.shape.gravity || !(bans || event.shiftKey)) return false;
    this.area = { from: this.nearest(event).point, bans };
    return true;
  }

  /** Marks the points between the begin of a drag and its place. @param {PointerEvent} event @param {boolean} done */
  markArea(event, done) {
    const { app, area } = this;
    if (!area) return;
    const { point: to } = this.nearest(event);
    const { from } = area;
    const points = [];
    for (let c = Math.min(from.c, to.c); c <= Math.max(from.c, to.c); c++) {
      for (let r = Math.min(from.r, to.r); r <= Math.max(from.r, to.r); r++)
        if (onBoard({ c, r }, app.game.shape)) points.push(nameOf({ c, r }));
    }
    if (done) this.area = null;
    app.markArea(points, area.bans, done);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { app, press } = this;
    if (this.area) return this.markArea(event, false);
    if (press?.slides) return this.slide(event);
    const { point, near } = this.nearest(event);
    if (press?.touch && indexOf(point, app.game.shape) !== indexOf(press.point, app.game.shape)) clearTimeout(press.timer);
    if (press?.onGhost) press.ghostMoved = this.dragGhost(point) || press.ghostMoved;
    if (event.pointerType === 'mouse') this.hover(near ? point : null, event.shiftKey);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { app, press } = this;
    if (this.area) return this.markArea(event, true);
    this.release();
    if (!press || event.button !== 0) return;
    const { point, near, inside } = this.nearest(event, press.slides ? ABOVE : 0);
    if (press.slides) {
      this.hover(null);
      if (inside) app.tap(point);
      return;
    }
    const ghost = this.setsGhost(press.touch);
    if (press.ghostMoved || !(near || (ghost && inside)) || indexOf(point, app.game.shape) !== indexOf(press.point, app.game.shape)) return;
    if (ghost) app.aimAt(point);
    else app.tap(point);
  }

  cancel() {
    this.area = null;
    this.release();
    this.hover(null);
  }

  /** @param {PointerEvent} event */
  leave(event) {
    if (!this.press?.slides && event.pointerType === 'mouse') this.hover(null);
  }

  /** @param {MouseEvent} event */
  menu(event) {
    const { point, near } = this.nearest(event);
    if (near) this.app.pointMenu(point);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!this.app.settings.wheel || event.ctrlKey) return;
    event.preventDefault();
    this.app.step(event.deltaY > 0 ? 1 : -1);
  }
}
