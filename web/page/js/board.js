//! The board as a picture (SVG) and, over it, as a grid that screen readers and keys walk through;
//! and what mouse and touch do on it. It draws what a scene says. What a press means, the application knows.

import { indexOf, onBoard } from './game.js';
import { el, setAttribute, svg, t } from './text.js';

/** @typedef {import('./main.js').App} App */

/** @typedef {import('./game.js').Point} Point */
/** @typedef {import('./game.js').Shape} Shape */
/** @typedef {'b' | 'w' | 'r' | 'y'} Colour */
/** @typedef {{ i: number, kind: 'best' | 'close' | 'doubt' | 'bad' | 'draw', text: string }} Disc */
/**
 * What the board shows. Points are given by index.
 * @typedef {object} Scene
 * @property {({ colour: Colour, text: string } | undefined)[]} stones
 * @property {number | null} last
 * @property {boolean} lastRing ring around a numbered stone, else a dot
 * @property {number[]} crosses
 * @property {number[]} flags
 * @property {Disc[]} discs
 * @property {{ i: number, colour: Colour, text: string, edge: string }[]} line stones of a previewed line
 * @property {{ i: number, colour: Colour, held: boolean } | null} ghost
 * @property {number | null} aim column and row drawn bold
 * @property {number | null} cursor
 * @property {number | null} hint
 * @property {Point[]} win
 * @property {boolean} locked
 * @property {(i: number) => string} label
 * @property {string} labels changes where a label does
 */

const CELL = 40;
const STONE = 0.455 * CELL;

/** Points that boards mark: the middle, and others a few lines from the edge. @param {Shape} shape */
function starPoints({ w, h, gravity, k }) {
  if (gravity || w !== h || w < 9 || k !== 5) return [];
  const edge = w < 13 ? 2 : 3;
  const middle = w % 2 ? [(w - 1) / 2] : [];
  const lines = [edge, w - 1 - edge];
  const corners = lines.flatMap((c) => lines.map((r) => ({ c, r })));
  return [...corners, ...middle.map((m) => ({ c: m, r: m }))];
}

export class BoardView {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    /** @type {Shape} */
    this.shape = { variant: '', w: 1, h: 1, k: 1, gravity: false, overline: true };
    this.chips = el('div.chips', { 'aria-hidden': 'true' });
    this.box = el('div.box');
    this.picture = svg('svg', { class: 'picture', 'aria-hidden': 'true', focusable: 'false' });
    this.grid = el('div.cells', { role: 'grid' });
    this.box.append(this.picture, this.grid);
    host.replaceChildren(this.chips, this.box);
    /** @type {HTMLElement[]} */
    this.cells = [];
    /** @type {Record<string, SVGElement>} */
    this.layers = {};
    /** @type {Map<string, string>} */
    this.drawn = new Map();
    /** @type {{ key: string, node: SVGElement }[]} */
    this.stones = [];
    this.tabStop = 0;
    this.built = '';
    this.animate = false;
    /** @type {typeof import('./marks.js') | null} */
    this.marks = null;
    this.labels = '';
  }

  /** Draws what never changes on a board of this shape. @param {Shape} shape */
  setShape(shape) {
    const key = JSON.stringify([shape, document.documentElement.lang]);
    if (key === this.built) return;
    this.built = key;
    this.shape = shape;
    const { w, h, gravity } = shape;
    this.margin = gravity ? { x: 30, top: 30, bottom: 40 } : { x: 32, top: 32, bottom: 32 };
    const width = (w - 1) * CELL + 2 * this.margin.x;
    const height = (h - 1) * CELL + this.margin.top + this.margin.bottom;
    this.size = { width, height };
    setAttribute(this.picture, 'viewBox', `0 0 ${width} ${height}`);
    this.host.classList.toggle('gravity', gravity);
    this.host.style.setProperty('--ratio', String(width / height));
    this.host.style.setProperty('--cols', String(w));
    this.drawn.clear();
    this.labels = '';
    this.stones = [];
    this.layers = {};
    this.picture.replaceChildren(gradients(), gravity ? this.frame() : this.wood(), ...this.makeLayers());
    this.makeCells();
  }

  makeLayers() {
    const names = ['aim', 'crosses', 'stones', 'flags', 'last', 'discs', 'line', 'hint', 'win', 'ghost', 'cursor'];
    return names.map((name) => (this.layers[name] = svg('g', { class: `l-${name}` })));
  }

  /** @param {number} c */
  x(c) {
    return (this.margin?.x ?? 0) + c * CELL;
  }

  /** @param {number} r */
  y(r) {
    return (this.margin?.top ?? 0) + (this.shape.h - 1 - r) * CELL;
  }

  /** @param {number} i @returns {[number, number]} */
  at(i) {
    return [this.x(i % this.shape.w), this.y(Math.floor(i / this.shape.w))];
  }

  wood() {
    const { w, h } = this.shape;
    const { width, height } = /** @type {{ width: number, height: number }} */ (this.size);
    let lines = '';
    for (let c = 1; c < w - 1; c++) lines += `M${this.x(c)} ${this.y(0)}V${this.y(h - 1)}`;
    for (let r = 1; r < h - 1; r++) lines += `M${this.x(0)} ${this.y(r)}H${this.x(w - 1)}`;
    const edge = { x: this.x(0), y: this.y(h - 1), width: (w - 1) * CELL, height: (h - 1) * CELL };
    const stars = starPoints(this.shape).map((at) => svg('circle', { class: 'star', cx: this.x(at.c), cy: this.y(at.r), r: 3.4 }));
    const box = { x: 0.6, y: 0.6, width: width - 1.2, height: height - 1.2, rx: 9 };
    return svg('g', null,
      svg('rect', { class: 'wood', ...box }), svg('path', { class: 'grain', d: grain(width, height) }),
      svg('rect', { class: 'woodedge', ...box }), svg('rect', { class: 'gridedge', ...edge }),
      svg('path', { class: 'gridlines', d: lines }), ...stars, this.coordinates());
  }

  coordinates() {
    const { w, h } = this.shape;
    const { width, height } = /** @type {{ width: number, height: number }} */ (this.size);
    const group = svg('g', { class: 'coords' });
    const put = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text, /** @type {string} */ side) =>
      group.append(svg('text', { x, y, class: side }, text));
    for (let c = 0; c < w; c++) {
      const letter = String.fromCharCode(65 + c);
      put(this.x(c), height - 13, letter, `c${c}`);
      put(this.x(c), 13, letter, `far c${c}`);
    }
    for (let r = 0; r < h; r++) {
      put(12.5, this.y(r), String(r + 1), `r${r}`);
      put(width - 12.5, this.y(r), String(r + 1), `far r${r}`);
    }
    return group;
  }

  frame() {
    const { w, h } = this.shape;
    const { width, height } = /** @type {{ width: number, height: number }} */ (this.size);
    const group = svg('g', null, svg('rect', { class: 'frame', x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 11 }));
    const lit = svg('g', { class: 'columns' });
    for (let c = 0; c < w; c++) {
      lit.append(svg('rect', { class: `column c${c}`, x: this.x(c) - 18.5, y: 3, width: 37, height: height - 6, rx: 6 }));
    }
    group.append(lit);
    for (let i = 0; i < w * h; i++) {
      const [cx, cy] = this.at(i);
      group.append(svg('circle', { class: `hole c${i % w}`, cx, cy, r: 16.4 }), svg('path', { class: 'depth', d: `M${cx - 15.4} ${cy}A15.4 15.4 0 0 1 ${cx + 15.4} ${cy}A15.4 12.4 0 0 0 ${cx - 15.4} ${cy}Z` }));
    }
    const letters = svg('g', { class: 'letters' });
    for (let c = 0; c < w; c++) letters.append(svg('text', { x: this.x(c), y: height - 9, class: `c${c}` }, String.fromCharCode(65 + c)));
    group.append(letters);
    return group;
  }

  makeCells() {
    const { w, h } = this.shape;
    setAttribute(this.grid, 'aria-rowcount', h);
    setAttribute(this.grid, 'aria-colcount', w);
    setAttribute(this.grid, 'aria-label', t('board.label'));
    this.cells = [];
    const rows = [];
    for (let r = h - 1; r >= 0; r--) {
      const row = el('div.row', { role: 'row', 'aria-rowindex': h - r });
      for (let c = 0; c < w; c++) {
        const cell = el('div', { role: 'gridcell', 'aria-colindex': c + 1, tabindex: -1 });
        this.cells[r * w + c] = cell;
        row.append(cell);
      }
      rows.push(row);
    }
    this.grid.replaceChildren(...rows);
    this.tabStop = Math.floor(h / 2) * w + Math.floor(w / 2);
    this.cells[this.tabStop]?.setAttribute('tabindex', '0');
  }

  /** Makes a point the board's only tab stop. @param {number} i @param {boolean} focus */
  moveTabStop(i, focus) {
    this.cells[this.tabStop]?.setAttribute('tabindex', '-1');
    this.cells[i]?.setAttribute('tabindex', '0');
    this.tabStop = i;
    if (focus) this.cells[i]?.focus({ preventScroll: true });
  }

  /** The point of a focused cell. @param {EventTarget | null} target */
  indexOfCell(target) {
    return target instanceof HTMLElement ? this.cells.indexOf(target) : -1;
  }

  /**
   * The point nearest to a place on the screen, how far it is in cells, and whether it is on the board.
   * @param {number} clientX @param {number} clientY
   */
  pointAt(clientX, clientY) {
    const box = this.picture.getBoundingClientRect();
    const scale = (this.size?.width ?? 1) / box.width;
    const c = ((clientX - box.left) * scale - this.x(0)) / CELL;
    const r = this.shape.h - 1 - ((clientY - box.top) * scale - this.y(this.shape.h - 1)) / CELL;
    const point = { c: Math.round(c), r: Math.round(r) };
    const inside = clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
    const far = this.shape.gravity ? Math.abs(c - point.c) : Math.hypot(c - point.c, r - point.r);
    return { point, far, inside };
  }

  /** The width of a cell on the screen, in CSS pixels. */
  cellWidth() {
    return (this.picture.getBoundingClientRect().width / (this.size?.width ?? 1)) * CELL;
  }

  /** @param {Scene} scene */
  paint(scene) {
    this.paintStones(scene);
    this.layer('crosses', scene.crosses, (i) => this.cross(i));
    this.layer('last', [scene.last === null ? null : [scene.last, scene.lastRing, scene.stones[scene.last]?.colour]], (last) => this.lastMark(last));
    this.paintMarks(scene);
    this.layer('ghost', [scene.ghost], (ghost) => (ghost ? [this.ghostStone(ghost)] : []));
    this.layer('cursor', [scene.cursor], (i) => (i === null ? [] : this.brackets(i)));
    this.paintAim(scene.aim);
    this.host.classList.toggle('locked', scene.locked);
    if (this.labels === scene.labels) return;
    this.labels = scene.labels;
    for (const [i, cell] of this.cells.entries()) setAttribute(cell, 'aria-label', scene.label(i));
  }

  /** Discs, lines and the like, which the first look does not need. @param {Scene} scene */
  paintMarks(scene) {
    const wanted = scene.flags.length + scene.discs.length + scene.line.length + scene.win.length > 0 || scene.hint !== null;
    if (this.marks) this.marks.paint(this, scene);
    else if (wanted) void import('./marks.js').then((marks) => { this.marks = marks; marks.paint(this, scene); });
  }

  /**
   * Draws a layer again where its data changed.
   * @template T
   * @param {string} name @param {T[]} data @param {(item: T) => SVGElement[]} draw
   */
  layer(name, data, draw) {
    const key = JSON.stringify(data);
    if (this.drawn.get(name) === key) return;
    this.drawn.set(name, key);
    this.layers[name]?.replaceChildren(...data.flatMap(draw));
  }

  /** @param {number} i */
  move(i) {
    const [x, y] = this.at(i);
    return `translate(${x} ${y})`;
  }

  /** @param {Scene} scene */
  paintStones(scene) {
    const layer = this.layers.stones;
    if (!layer) return;
    for (let i = 0; i < this.shape.w * this.shape.h; i++) {
      const stone = scene.stones[i];
      const key = stone ? `${stone.colour}${stone.text}` : '';
      const known = this.stones[i];
      if ((known?.key ?? '') === key) continue;
      known?.node.remove();
      delete this.stones[i];
      if (!stone) continue;
      const isNew = known === undefined && scene.last === i && this.animate;
      const node = this.stone(i, stone.colour, stone.text, isNew ? ' new' : '');
      layer.append(node);
      this.stones[i] = { key, node };
    }
  }

  /** @param {number} i @param {Colour} colour @param {string} text @param {string} more classes */
  stone(i, colour, text, more) {
    const group = svg('g', { class: `stone ${colour}`, transform: this.move(i) });
    const body = more ? svg('g', { class: `body${more}` }) : group;
    if (more) group.append(body);
    const falls = this.shape.gravity;
    if (falls && more) body.style.setProperty('--fall', String(this.shape.h - Math.floor(i / this.shape.w)));
    if (!falls) body.append(svg('circle', { class: 'shadow', cx: 1, cy: 2, r: STONE + 2 }));
    body.append(svg('circle', { class: 'disk', r: falls ? 16 : STONE }));
    if (colour === 'r') body.append(svg('circle', { class: 'sign', r: 9.4 }));
    if (colour === 'y') body.append(svg('path', { class: 'sign', d: 'M0 -8.6L8.6 0L0 8.6L-8.6 0Z' }));
    if (text) body.append(svg('text', { class: text.length > 2 ? 'small' : '' }, text));
    return group;
  }

  /** @param {{ i: number, colour: Colour, held: boolean }} ghost */
  ghostStone({ i, colour, held }) {
    const group = this.stone(i, colour, '', '');
    group.classList.add('ghost');
    if (held) group.classList.add('held');
    return group;
  }

  /** @param {number} i */
  cross(i) {
    const [x, y] = this.at(i);
    return [svg('circle', { class: 'patch', cx: x, cy: y, r: 10.5 }), svg('path', { class: 'cross', d: `M${x - 6.5} ${y - 6.5}l13 13m0 -13l-13 13` })];
  }

  /** @param {any} last */
  lastMark(last) {
    if (!last) return [];
    const [i, ring, colour] = last;
    const at = { transform: this.move(i) };
    if (this.shape.gravity) return [svg('circle', { class: 'lastring y', r: 15, ...at }), svg('circle', { class: 'lastdot y', r: 3.2, ...at })];
    return [svg('circle', { class: `${ring ? 'lastring' : 'lastdot'} ${colour}`, r: ring ? STONE - 2.2 : 6, ...at })];
  }

  /** @param {number} i */
  brackets(i) {
    const d = 'M-18.5 -11v-7.5h7.5M11 -18.5h7.5v7.5M18.5 11v7.5h-7.5M-11 18.5h-7.5v-7.5';
    const at = { transform: this.move(i), d };
    return [svg('path', { class: 'cursorhalo', ...at }), svg('path', { class: 'cursorline', ...at })];
  }

  /** Column and row of a point, bold. @param {number | null} i */
  paintAim(i) {
    const key = String(i);
    if (this.drawn.get('aim') === key) return;
    this.drawn.set('aim', key);
    for (const node of this.picture.querySelectorAll('.on')) node.classList.remove('on');
    this.layers.aim?.replaceChildren();
    if (i === null) return;
    const [c, r] = [i % this.shape.w, Math.floor(i / this.shape.w)];
    for (const node of this.picture.querySelectorAll(`.c${c}, .coords .r${r}`)) node.classList.add('on');
    if (this.shape.gravity) return;
    const d = `M${this.x(0)} ${this.y(r)}H${this.x(this.shape.w - 1)}M${this.x(c)} ${this.y(0)}V${this.y(this.shape.h - 1)}`;
    this.layers.aim?.append(svg('path', { class: 'aim', d }));
  }

}

/** Lines of the wood's grain: the same on each board of a size. @param {number} width @param {number} height */
function grain(width, height) {
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  let path = '';
  for (let i = 0; i < 22; i++) {
    const y = Math.round(random() * height);
    const bend = () => Math.round(y + (random() - 0.5) * 14);
    path += `M1 ${y}C${Math.round(width * 0.3)} ${bend()} ${Math.round(width * 0.65)} ${bend()} ${Math.round(width - 1)} ${bend()}`;
  }
  return path;
}

function gradients() {
  const radial = (/** @type {string} */ id, /** @type {string[]} */ stops, /** @type {string} */ cx, /** @type {string} */ cy) =>
    svg('radialGradient', { id, cx, cy, r: '70%' }, ...stops.map((offset, n) => svg('stop', { offset, class: `${id}-${n + 1}` })));
  const linear = (/** @type {string} */ id, /** @type {Record<string, any>} */ way) =>
    svg('linearGradient', { id, ...way }, svg('stop', { offset: 0, class: `${id}-1` }), svg('stop', { offset: 1, class: `${id}-2` }));
  return svg('defs', null,
    radial('sb', ['0', '.45', '1'], '36%', '30%'), radial('sw', ['0', '.6', '1'], '38%', '32%'),
    radial('sr', ['0', '1'], '36%', '30%'), radial('sy', ['0', '1'], '36%', '30%'),
    svg('radialGradient', { id: 'shade' }, svg('stop', { offset: '.84', class: 'shade-1' }), svg('stop', { offset: '1', class: 'shade-2' })),
    linear('wood', { x2: 1, y2: 1 }), linear('frame', { x2: 0, y2: 1 }));
}

/** How near to a point, in cells, a press must be. */
const NEAR = 0.42;
/** A cell this wide, in CSS pixels, is hit by a finger at once. */
const DIRECT_CELL = 40;
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
