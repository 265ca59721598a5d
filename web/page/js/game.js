//! The record of a game: board shapes, names of points, the tree of moves. It knows occupied points
//! and gravity, and no other rule: the server judges.

/** @typedef {'first' | 'second'} Side */
/** @typedef {{ variant: string, w: number, h: number, k: number, gravity: boolean, overline: boolean }} Shape */
/** @typedef {{ c: number, r: number }} Point column and row, both from 0, rows from below */
/** @typedef {{ forbidden: Map<string, string>, outcome: Side | 'draw' | null, turn: Side }} Judged */
/** @typedef {{ kind: 'none' | 'move' | 'game', base: number, inc: number }} ClockRule times in ms */
/** @typedef {'you' | 'engine'} Seat */
/** @typedef {{ winner: Side | null, why: 'line' | 'time' | 'resign' | 'full' | 'forbidden' }} Result */

/** Usual boards of the variants: width, height, line, gravity; whether five in a row is played. What sizes there are, the server says. */
export const VARIANTS = /** @type {Record<string, { w: number, h: number, k: number, gravity?: boolean, five?: boolean }>} */ ({
  gomokufreestyle: { w: 15, h: 15, k: 5, five: true },
  gomoku: { w: 15, h: 15, k: 5, five: true },
  renju: { w: 15, h: 15, k: 5, five: true },
  caro: { w: 15, h: 15, k: 5, five: true },
  freestyle20: { w: 20, h: 20, k: 5, five: true },
  cfour: { w: 7, h: 6, k: 4, gravity: true },
  'cfour-misere': { w: 7, h: 6, k: 4, gravity: true },
  tictactoe: { w: 3, h: 3, k: 3 },
  custom: { w: 5, h: 5, k: 4 },
});

/**
 * The usual board of a variant, with what differs from it.
 * @param {string} variant @param {Partial<Shape>} [own] @returns {Shape}
 */
export function shapeOf(variant, own = {}) {
  const usual = VARIANTS[variant] ?? { w: 15, h: 15, k: 5 };
  const known = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return { variant, overline: true, gravity: false, ...usual, ...known };
}

/** @param {Side} side @returns {Side} */
export const other = (side) => (side === 'first' ? 'second' : 'first');

/** The name of a point as the server writes it: `h8`. @param {Point} point */
export const nameOf = ({ c, r }) => String.fromCharCode(97 + c) + (r + 1);

/**
 * The point of a name, or null where there is none on this board. A column alone is enough where
 * stones fall, but only {@link Game.drop} knows the row.
 * @param {string} name @param {Shape} shape @returns {Point | null}
 */
export function pointOf(name, shape) {
  const parts = /^([a-z])([1-9]\d?)$/i.exec(name.trim());
  if (!parts?.[1]) return null;
  const point = { c: parts[1].toLowerCase().charCodeAt(0) - 97, r: Number(parts[2]) - 1 };
  return onBoard(point, shape) ? point : null;
}

/** @param {Point} point @param {Shape} shape */
export const onBoard = ({ c, r }, shape) => c >= 0 && r >= 0 && c < shape.w && r < shape.h;

/** The place of a point in a list of all points. @param {Point} point @param {Shape} shape */
export const indexOf = ({ c, r }, shape) => r * shape.w + c;

/** The name of the point at a place of such a list. @param {number} i @param {Shape} shape */
export const nameAt = (i, { w }) => nameOf({ c: i % w, r: Math.floor(i / w) });

/** A position of the record: the move that led to it, and what is known of it. */
export class Node {
  /**
   * @param {Node | null} parent @param {string} move @param {Side} turn the side to move here
   * @param {number} [ply]
   */
  constructor(parent, move, turn, ply = 0) {
    this.parent = parent;
    this.move = move;
    this.turn = turn;
    /** The number of the move. */
    this.ply = ply;
    /** @type {Node[]} */
    this.children = [];
    /** The child that was looked at last. @type {Node | null} */
    this.last = null;
    this.comment = '';
    /** @type {'' | '?!' | '?' | '??'} */
    this.mark = '';
    this.flag = false;
    /** The first player's expectation in per mille. @type {number | null} */
    this.share = null;
    /** The moves that would have been better. @type {string[]} */
    this.better = [];
    /** Clocks after the move, in ms. @type {{ first: number, second: number } | null} */
    this.left = null;
    /** What the server says of it. @type {Judged | null} */
    this.judged = null;
  }

  /** The player of the move. @returns {Side} */
  get side() {
    return other(this.turn);
  }

  /** Positions from the root to here. @returns {Node[]} */
  path() {
    const path = [];
    for (let node = /** @type {Node | null} */ (this); node; node = node.parent) path.push(node);
    return path.reverse();
  }

  /** Moves from the root to here. */
  moves() {
    return this.path().slice(1).map((node) => node.move);
  }

  /** The last position of the line that was looked at from here. @returns {Node} */
  end() {
    let node = /** @type {Node} */ (this);
    for (let next = node.next(); next; next = node.next()) node = next;
    return node;
  }

  /** The next position of the line that was looked at. */
  next() {
    return this.last ?? this.children[0] ?? null;
  }

  /** @param {Node} node */
  isWithin(node) {
    return this.path().includes(node);
  }
}

/** A game: its rules, its players, its tree. */
export class Game {
  /**
   * @param {Shape} shape
   * @param {{ first?: string[], second?: string[], turn?: Side }} [setup] stones on the board at the start
   */
  constructor(shape, setup = {}) {
    this.id = Math.random().toString(36).slice(2, 10);
    /** Counts saved states, so that two tabs cannot both write the next one. */
    this.revision = 0;
    this.shape = shape;
    this.setup = { first: setup.first ?? [], second: setup.second ?? [] };
    const ahead = this.setup.first.length > this.setup.second.length;
    this.root = new Node(null, '', setup.turn ?? (ahead ? 'second' : 'first'));
    /** The position shown. */
    this.shown = this.root;
    /** The position that is played on. */
    this.live = this.root;
    /** @type {{ first: Seat, second: Seat }} */
    this.seats = { first: 'you', second: 'engine' };
    this.level = 4;
    /** @type {ClockRule} */
    this.clock = { kind: 'none', base: 0, inc: 0 };
    /** Whether the first player's stones are drawn white. */
    this.whiteFirst = false;
    /** @type {Result | null} */
    this.result = null;
    /** The step of swap2; null where no opening runs. @type {import('./swap.js').Swap | null} */
    this.swap = null;
    /** What happened in the opening, in words of the page. @type {string[]} */
    this.events = [];
    /** Properties of an imported record that the page does not use. @type {Record<string, string[]>} */
    this.extra = {};
    /** Counts changes of the tree, so that a view knows when to draw it again. */
    this.changes = 0;
  }

  /** Whether stones are placed first. */
  get hasSetup() {
    return this.setup.first.length + this.setup.second.length > 0;
  }

  /**
   * The stones of a position by index: who, and the number of the move (0 for placed stones).
   * @param {Node} node @returns {({ side: Side, ply: number } | undefined)[]}
   */
  stones(node) {
    /** @type {({ side: Side, ply: number } | undefined)[]} */
    const all = [];
    for (const side of /** @type {Side[]} */ (['first', 'second'])) {
      for (const name of this.setup[side]) this.put(all, name, side, 0);
    }
    for (const at of node.path()) if (at.move) this.put(all, at.move, at.side, at.ply);
    return all;
  }

  /**
   * @param {({ side: Side, ply: number } | undefined)[]} all
   * @param {string} name @param {Side} side @param {number} ply
   */
  put(all, name, side, ply) {
    const point = pointOf(name, this.shape);
    if (point) all[indexOf(point, this.shape)] = { side, ply };
  }

  /** Where a stone in this column comes to rest; null where the column is full. @param {Node} node @param {number} c */
  drop(node, c) {
    const stones = this.stones(node);
    for (let r = 0; r < this.shape.h; r++) {
      if (!stones[indexOf({ c, r }, this.shape)]) return { c, r };
    }
    return null;
  }

  /** Where a stone aimed at this point goes; null where none can. @param {Node} node @param {Point} point */
  target(node, point) {
    if (!onBoard(point, this.shape)) return null;
    if (this.shape.gravity) return this.drop(node, point.c);
    return this.stones(node)[indexOf(point, this.shape)] ? null : point;
  }

  /**
   * Adds a move after a position, or finds it there. The move becomes the line that is looked at.
   * @param {Node} node @param {string} move
   */
  add(node, move) {
    let child = node.children.find((known) => known.move === move);
    if (!child) {
      child = new Node(node, move, other(node.turn), node.ply + 1);
      node.children.push(child);
      this.changes++;
    }
    node.last = child;
    return child;
  }

  /** Makes the way to a position the main line. @param {Node} node */
  promote(node) {
    for (let at = node; at.parent; at = at.parent) {
      const siblings = at.parent.children;
      siblings.splice(siblings.indexOf(at), 1);
      siblings.unshift(at);
      at.parent.last = at;
    }
    this.changes++;
  }

  /** Takes a position with all that follows out of the tree. @param {Node} node */
  remove(node) {
    const { parent } = node;
    if (!parent) return;
    parent.children.splice(parent.children.indexOf(node), 1);
    if (parent.last === node) parent.last = null;
    if (this.shown.isWithin(node)) this.shown = parent;
    if (this.live.isWithin(node)) {
      this.live = parent;
      this.result = null;
    }
    this.changes++;
  }

  /** Shows a position, and remembers the way to it. @param {Node} node */
  show(node) {
    for (let at = node; at.parent; at = at.parent) at.parent.last = at;
    this.shown = node;
  }

  /** The main line: the first child of each position. @returns {Node[]} */
  mainLine() {
    const line = [this.root];
    for (let node = this.root.children[0]; node; node = node.children[0]) line.push(node);
    return line;
  }

  /** The line through the position shown, to its end. */
  line() {
    return this.shown.end().path();
  }

  /**
   * The stones of the line that ended the game: the longest run through the last move that is long
   * enough. The server has said that there is one.
   * @param {Node} node @returns {Point[]}
   */
  winningLine(node) {
    const from = pointOf(node.move, this.shape);
    if (!from) return [];
    const stones = this.stones(node);
    const mine = (/** @type {Point} */ at) =>
      onBoard(at, this.shape) && stones[indexOf(at, this.shape)]?.side === node.side;
    /** @type {Point[]} */
    let best = [];
    for (const [dc, dr] of /** @type {[number, number][]} */ ([[1, 0], [0, 1], [1, 1], [1, -1]])) {
      let start = from;
      while (mine({ c: start.c - dc, r: start.r - dr })) start = { c: start.c - dc, r: start.r - dr };
      const run = [];
      for (let at = start; mine(at); at = { c: at.c + dc, r: at.r + dr }) run.push(at);
      if (run.length >= this.shape.k && run.length > best.length) best = run;
    }
    return best;
  }

  /** How a game ended whose result the server has told. @param {Node} node @param {Side | 'draw'} outcome @returns {Result} */
  resultOf(node, outcome) {
    if (outcome === 'draw') return { winner: null, why: 'full' };
    return { winner: outcome, why: this.winningLine(node).length ? 'line' : 'forbidden' };
  }

  /** The position at the start in the server's text; undefined where the board is empty. */
  fen() {
    if (!this.hasSetup && this.root.turn === 'first') return undefined;
    const { w, h } = this.shape;
    const stones = this.stones(this.root);
    const rows = [];
    for (let r = h - 1; r >= 0; r--) {
      let row = '';
      let empty = 0;
      for (let c = 0; c <= w; c++) {
        const stone = c < w ? stones[r * w + c] : undefined;
        if (c < w && !stone) { empty++; continue; }
        row += (empty || '') + (stone ? (stone.side === 'first' ? 'P' : 'p') : '');
        empty = 0;
      }
      rows.push(row);
    }
    return `${rows.join('/')} ${this.root.turn === 'first' ? 'w' : 'b'} - - 0 1`;
  }

  /** The fields of a query that say which position is meant. @param {Node} node */
  query(node) {
    const { variant, w, h, k, gravity, overline } = this.shape;
    const usual = shapeOf(variant);
    /** @type {Record<string, unknown>} */
    const query = { variant, moves: node.moves() };
    if (variant === 'custom') query.board = { width: w, height: h, connect: k, gravity, overline };
    else if (w !== usual.w || h !== usual.h) query.board = { width: w, height: h };
    const fen = this.fen();
    if (fen) query.fen = fen;
    return query;
  }
}
