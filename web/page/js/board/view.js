//! The board: a picture (SVG), and above it a grid for screen readers and keys. Draws a scene. What an
//! event on it means is decided elsewhere.

import { el, hasChanged, loadStyle, setAttribute, svg, t } from '../base/text.js';

/** @typedef {import('../record/game.js').Point} Point */
/** @typedef {import('../record/game.js').Shape} Shape */
/** @typedef {'b' | 'w' | 'r' | 'y'} Colour */
/** @typedef {{ i: number, kind: 'best' | 'close' | 'doubt' | 'bad' | 'draw', text: string }} Disc */
/**
 * What the board shows. Points are indices.
 * @typedef {object} Scene
 * @property {({ colour: Colour, text: string } | undefined)[]} stones
 * @property {number | null} last
 * @property {boolean} lastRing whether the last stone has a ring (around its number) and not a dot
 * @property {number[]} crosses
 * @property {number[]} flags
 * @property {{ i: number, kind: string }[]} dots what moves lose, on their stones
 * @property {Disc[]} discs
 * @property {{ i: number, colour: Colour, text: string, edge: string }[]} line stones of a previewed line
 * @property {{ i: number, colour: Colour } | null} ghost
 * @property {number | null} aim the point whose column and row are highlighted
 * @property {number | null} cursor
 * @property {number | null} hint
 * @property {{ i: number, text: string }[]} [tree] moves of the record
 * @property {number[]} [barred] points that are not searched
 * @property {number[]} [chosen] the only points that are searched
 * @property {number | null} [better] the move that a review prefers
 * @property {Point[]} win
 * @property {Map<number, string>} words what is said of points besides their stones
 * @property {boolean} locked
 * @property {(i: number) => string} label
 * @property {string} labelsKey changes whenever a label changes
 */

/**
 * What the input of the board needs of the application.
 * @typedef {object} Controls
 * @property {BoardView} board
 * @property {import('../record/game.js').Game} game
 * @property {{ entry: 'auto' | 'direct' | 'confirm' | 'slide', wheel: boolean }} settings
 * @property {string} mode
 * @property {Point | null} hover
 * @property {Point | null} aimed
 * @property {string} typed
 * @property {boolean} zoomed
 * @property {() => boolean} mayPlay
 * @property {() => unknown} over the result, if the game is over
 * @property {(point: Point) => { pv: string[], kind: string } | null} lineAt
 * @property {(point: Point | null, preview?: { moves: string[], kind: string, from: 'disc' } | null) => void} setHover
 * @property {(point: Point | null) => void} setAim
 * @property {(i: number | null, visible?: boolean) => void} setCursor
 * @property {(text: string) => void} setTyped
 * @property {() => boolean} clearInput
 * @property {() => void} toggleZoom
 * @property {(point: Point) => void} tap
 * @property {(point: Point | null) => void} aimAt
 * @property {(dc: number, dr: number) => void} nudge
 * @property {(points: string[], bans: boolean, done: boolean) => void} markArea
 * @property {(point: Point) => void} pointMenu
 * @property {(count: number) => void} step
 * @property {(act: string) => void} act
 * @property {(word: string) => void} command
 * @property {(node: import('../record/game.js').Node) => void} goTo
 */

/** The size of a cell and the radius of a stone, in units of the picture. */
const CELL = 40;
const STONE = 0.455 * CELL;
/** The radius of the corners of the frame of four in a row, as in `frames.js`. */
const FRAME_CORNER = 11;
/** The signs of tic-tac-toe: X and O. */
export const SIGNS = ['M-10 -10L10 10M10 -10L-10 10', 'M-11 0a11 11 0 1 0 22 0a11 11 0 1 0 -22 0'];
/** The layers of the picture, from the bottom. */
const LAYERS = [
  'aim',
  'crosses',
  'chosen',
  'barred',
  'winline',
  'stones',
  'win',
  'dots',
  'flags',
  'last',
  'discs',
  'tree',
  'line',
  'hint',
  'better',
  'ghost',
  'cursor',
];

/** Returns the points with a dot: the middle, and points near the corners. @param {Shape} shape */
function starPoints({ w, h, gravity, k }) {
  if (gravity || w !== h || w < 9 || k !== 5) return [];
  const edge = w < 13 ? 2 : 3;
  const middle = w % 2 ? [(w - 1) / 2] : [];
  const lines = [edge, w - 1 - edge];
  const corners = lines.flatMap((c) => lines.map((r) => ({ c, r })));
  return [...corners, ...middle.map((m) => ({ c: m, r: m }))];
}

export class BoardView {
  /** @param {HTMLElement} host @param {() => Promise<{ paint: (board: BoardView, scene: Scene) => void }>} loadMarks */
  constructor(host, loadMarks) {
    this.host = host;
    this.loadMarks = loadMarks;
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
    /** The data of each layer, as text, when it was drawn. @type {Map<string, string>} */
    this.drawn = new Map();
    /** @type {{ key: string, node: SVGElement }[]} */
    this.stones = [];
    this.tabStop = 0;
    this.shapeKey = '';
    this.animate = false;
    /** @type {{ paint: (board: BoardView, scene: Scene) => void } | null} */
    this.marks = null;
    /** @type {Promise<void> | null} */
    this.marksLoading = null;
    /** Called when `marks.js` is loaded. */
    this.onMarks = () => {};
    this.labelsKey = '';
    /** Draws boards that are not of wood, when it is loaded. @type {typeof import('./frames.js') | null} */
    this.frames = null;
  }

  /** Draws the fixed parts of a board of this shape. @param {Shape} shape */
  setShape(shape) {
    const key = JSON.stringify([shape, document.documentElement.lang]);
    if (key === this.shapeKey) return;
    this.shapeKey = key;
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
    this.host.style.setProperty('--round', `${(FRAME_CORNER / width) * 100}% / ${(FRAME_CORNER / height) * 100}%`);
    this.host.classList.toggle('marked', this.hasSigns);
    this.labelsKey = '';
    this.drawPicture();
    this.makeCells();
  }

  /** Whether the stones are the signs of tic-tac-toe. */
  get hasSigns() {
    return this.shape.variant === 'tictactoe';
  }

  /** Draws the empty board. One that is not of wood is drawn again when its module is there. */
  drawPicture() {
    const { gravity } = this.shape;
    const isWood = !gravity && !this.hasSigns;
    this.drawn.clear();
    this.stones = [];
    this.layers = {};
    const layers = LAYERS.map((name) => (this.layers[name] = svg('g', { class: `l-${name}` })));
    // Coordinates lie above the stones, which reach over the edge of the grid.
    this.picture.replaceChildren(
      gradients(),
      isWood ? this.wood() : (this.frames?.ground(this) ?? ''),
      ...layers,
      gravity ? '' : this.coordinates(),
    );
    // The next drawing asks again. After a module that did not load, only a new page has it.
    if (!isWood && !this.frames) void this.loadFrames().catch(() => {});
  }

  async loadFrames() {
    const [frames] = await Promise.all([import('./frames.js'), loadStyle('board/frames')]);
    this.frames = frames;
    this.drawPicture();
    this.onMarks();
  }

  /** @param {number} c */
  x(c) {
    return (this.margin?.x ?? 0) + c * CELL;
  }

  /** @param {number} r */
  y(r) {
    return (this.margin?.top ?? 0) + (this.shape.h - 1 - r) * CELL;
  }

  /** The coordinates of a point. @param {number} i @returns {[number, number]} */
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
    const x = width / 1040;
    const box = { x, y: x, width: width - 2 * x, height: height - 2 * x, rx: 16 * x };
    return svg(
      'g',
      null,
      svg('rect', { class: 'wood', ...box }),
      svg('path', { class: 'grain', d: grain(width, height) }),
      svg('rect', { class: 'woodedge', ...box }),
      svg('rect', { class: 'gridedge', ...edge }),
      svg('path', { class: 'gridlines', d: lines }),
      ...stars,
    );
  }

  coordinates() {
    const { w, h } = this.shape;
    const { width, height } = /** @type {{ width: number, height: number }} */ (this.size);
    const group = svg('g', { class: 'coords' });
    const put = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text, /** @type {string} */ side) =>
      group.append(svg('text', { x, y, class: side }, text));
    for (let c = 0; c < w; c++) {
      const letter = String.fromCharCode(65 + c);
      put(this.x(c), height - 8.5, letter, `c${c}`);
      put(this.x(c), 8.5, letter, `far c${c}`);
    }
    for (let r = 0; r < h; r++) {
      put(9, this.y(r), String(r + 1), `r${r}`);
      put(width - 9, this.y(r), String(r + 1), `far r${r}`);
    }
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

  /** Makes a point the only tab stop of the board. @param {number} i @param {boolean} focus */
  moveTabStop(i, focus) {
    this.cells[this.tabStop]?.setAttribute('tabindex', '-1');
    this.cells[i]?.setAttribute('tabindex', '0');
    this.tabStop = i;
    if (focus) this.cells[i]?.focus({ preventScroll: true });
  }

  /** The index of a cell element; -1 for other elements. @param {EventTarget | null} target */
  indexOfCell(target) {
    return target instanceof HTMLElement ? this.cells.indexOf(target) : -1;
  }

  /**
   * Returns the point in whose cell a place on the screen lies, perhaps outside of the grid, and whether the place is on the
   * board.
   * @param {number} clientX @param {number} clientY
   */
  pointAt(clientX, clientY) {
    const box = this.picture.getBoundingClientRect();
    const scale = (this.size?.width ?? 1) / box.width;
    const c = ((clientX - box.left) * scale - this.x(0)) / CELL;
    const r = this.shape.h - 1 - ((clientY - box.top) * scale - this.y(this.shape.h - 1)) / CELL;
    const point = { c: Math.round(c), r: Math.round(r) };
    const inside = clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
    return { point, inside };
  }

  /** The width of a cell on the screen, in CSS pixels. */
  cellWidth() {
    return (this.picture.getBoundingClientRect().width / (this.size?.width ?? 1)) * CELL;
  }

  /** @param {Scene} scene */
  paint(scene) {
    this.paintStones(scene);
    this.paintMarks(scene);
    this.host.classList.toggle('locked', scene.locked);
    if (this.labelsKey === scene.labelsKey) return;
    this.labelsKey = scene.labelsKey;
    for (const [i, cell] of this.cells.entries()) setAttribute(cell, 'aria-label', scene.label(i));
  }

  /** Draws marks. An empty board needs none, so `marks.js` is loaded with the first of them. @param {Scene} scene */
  paintMarks(scene) {
    if (this.marks) return this.marks.paint(this, scene);
    const lists = [scene.crosses, scene.flags, scene.dots, scene.discs, scene.line, scene.win, scene.barred ?? [], scene.chosen ?? []];
    const points = [scene.last, scene.hint, scene.better ?? null, scene.ghost, scene.cursor, scene.aim];
    if (lists.every((list) => list.length === 0) && points.every((point) => point === null)) return;
    this.marksLoading ??= Promise.all([this.loadMarks(), loadStyle('board/marks')]).then(
      ([marks]) => {
        this.marks = marks;
        this.onMarks();
      },
      () => {
        this.marksLoading = null;
      },
    );
  }

  /**
   * Draws a layer if its data has changed.
   * @template T
   * @param {string} name @param {T[]} data @param {(item: T) => SVGElement[]} draw
   */
  layer(name, data, draw) {
    if (hasChanged(this.drawn, name, data)) this.layers[name]?.replaceChildren(...data.flatMap(draw));
  }

  /** The SVG transform that moves a drawing to a point. @param {number} i */
  translate(i) {
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
    const group = svg('g', { class: `stone ${colour}`, transform: this.translate(i) });
    const body = more ? svg('g', { class: `body${more}` }) : group;
    if (more) group.append(body);
    const falls = this.shape.gravity;
    if (falls && more) body.style.setProperty('--fall', String(this.shape.h - Math.floor(i / this.shape.w)));
    if (!falls) body.append(svg('circle', { class: 'shadow', cx: 1, cy: 2, r: STONE + 2 }));
    body.append(svg('circle', { class: 'disk', r: falls ? 16 : STONE }));
    if (this.hasSigns) body.append(svg('path', { class: 'sign', d: SIGNS[colour === 'b' ? 0 : 1] }));
    if (colour === 'r') body.append(svg('circle', { class: 'sign', r: 9.4 }));
    if (colour === 'y') body.append(svg('path', { class: 'sign', d: 'M0 -8.6L8.6 0L0 8.6L-8.6 0Z' }));
    if (text) body.append(svg('text', { class: text.length > 2 ? 'small' : '' }, text));
    return group;
  }
}

/** Draws the grain of the wood, which is equal on all boards of one size. @param {number} width @param {number} height */
function grain(width, height) {
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  let path = '';
  for (let i = 0; i < 22; i++) {
    const y = Math.round(((i + 0.15 + 0.7 * random()) / 22) * height);
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
  return svg(
    'defs',
    null,
    radial('sb', ['0', '.45', '1'], '36%', '30%'),
    radial('sw', ['0', '.6', '1'], '38%', '32%'),
    radial('sr', ['0', '1'], '36%', '30%'),
    radial('sy', ['0', '1'], '36%', '30%'),
    svg(
      'radialGradient',
      { id: 'shade' },
      svg('stop', { offset: '.84', class: 'shade-1' }),
      svg('stop', { offset: '1', class: 'shade-2' }),
    ),
    linear('wood', { x2: 1, y2: 1 }),
    linear('frame', { x2: 0, y2: 1 }),
  );
}
