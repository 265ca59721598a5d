//! The record of a game: board shapes, names of points, the tree of moves. The module knows occupied
//! points and gravity. Only the engine knows the other rules.

/** @typedef {'first' | 'second'} Side */
/** @typedef {{ variant: string, w: number, h: number, k: number, gravity: boolean, overline: boolean }} Shape */
/** @typedef {{ c: number, r: number }} Point column and row, both from 0, rows from below */
/** @typedef {{ forbidden: Map<string, string>, outcome: Side | 'draw' | null, line: string[], opening?: Opening | null }} Info what the rules say: forbidden points with their reasons, the result, the line that ended the game, the name of the opening */
/** @typedef {{ code?: string, native?: string, romanised?: string, names?: Record<string, string> }} Opening */
/** @typedef {{ kind: 'none' | 'move' | 'game', base: number, inc: number }} ClockRule times in ms */
/** @typedef {import('./course.js').Seat} Seat */
/** @typedef {{ winner: Side | null, why: 'line' | 'time' | 'resign' | 'full' | 'forbidden' }} Result */

/** The default board of each variant: width, height, stones in a row, gravity; `five`: a variant of gomoku. The engine knows which other sizes exist. */
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
 * Returns the default board of a variant, with the values of `own` in place of the defaults.
 * @param {string} variant @param {Partial<Shape>} [own] @returns {Shape}
 */
export function shapeOf(variant, own = {}) {
  const defaults = (Object.hasOwn(VARIANTS, variant) && VARIANTS[variant]) || { w: 15, h: 15, k: 5 };
  const known = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return { variant, overline: true, gravity: false, ...defaults, ...known };
}

/** @param {Side} side @returns {Side} */
export const other = (side) => (side === 'first' ? 'second' : 'first');

/** The name of a point as the engine writes it: `h8`. @param {Point} point */
export const nameOf = ({ c, r }) => String.fromCharCode(97 + c) + (r + 1);

/** The name of a move as people read it: `H8`. @param {string} move */
export const moveText = (move) => move.toUpperCase();

/**
 * Returns the point of a name such as `h8`, or null if the board has no such point.
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

/** Returns the index of a point in a list of all points. @param {Point} point @param {Shape} shape */
export const indexOf = ({ c, r }, shape) => r * shape.w + c;

/** Returns the name of the point with an index. @param {number} i @param {Shape} shape */
export const nameAt = (i, { w }) => nameOf({ c: i % w, r: Math.floor(i / w) });

/** The signs of bad moves, and their names in classes and texts. */
export const MARKS = /** @type {const} */ ({ '?!': 'doubtful', '?': 'mistake', '??': 'blunder' });

/** What a search found in a position: its best line, and the nodes that it took. @typedef {{ score: { cp?: number, win_in?: number, loss_in?: number }, line: string[], nodes: number }} Judged */

/** Returns how much of the expected score a move gives away, in per mille; null if that is unknown. @param {Node} node */
export function lossOf(node) {
  const [before, after] = [node.parent?.share, node.share];
  if (before == null || after == null) return null;
  return Math.max(0, node.side === 'first' ? before - after : after - before);
}

/** A node of the tree: a position, the move that led to it, and remarks. */
export class Node {
  /**
   * @param {Node | null} parent @param {string} move @param {Side} turn the side to move here
   * @param {number} [ply]
   */
  constructor(parent, move, turn, ply = 0) {
    this.parent = parent;
    this.move = move;
    this.turn = turn;
    /** The number of the move, from 1; 0 at the root. */
    this.ply = ply;
    /** @type {Node[]} */
    this.children = [];
    /** The child that was shown last. @type {Node | null} */
    this.last = null;
    this.comment = '';
    /** @type {'' | '?!' | '?' | '??'} */
    this.mark = '';
    /** Whether the user marked the move. */
    this.flag = false;
    /** The first player's expected score in per mille; null if unknown. @type {number | null} */
    this.share = null;
    /** The line that the review prefers to this move. @type {string[]} */
    this.better = [];
    /** Why the move is bad: words, and the points of the threat. @type {{ kind: string, text: string, points: string[] } | null} */
    this.reason = null;
    /** The nodes of the review that graded the move; 0: none. */
    this.graded = 0;
    /** What a search found in this position; null if it was not searched. @type {Judged | null} */
    this.judged = null;
    /** The properties as an imported record writes them; as this page would write them, without the move; and the latter without values. @type {{ text: string, plain: string, bare: string } | null} */
    this.source = null;
    /** The clocks after the move, in ms. @type {{ first: number, second: number } | null} */
    this.left = null;
    /** What the engine says about the position; null until it replies. @type {Info | null} */
    this.info = null;
  }

  /** The side that played the move. @returns {Side} */
  get side() {
    return other(this.turn);
  }

  /** Returns the nodes from the root to this one. @returns {Node[]} */
  path() {
    const path = [];
    for (let node = /** @type {Node | null} */ (this); node; node = node.parent) path.push(node);
    return path.reverse();
  }

  /** Returns the moves from the root to this node. */
  moves() {
    return this.path()
      .slice(1)
      .map((node) => node.move);
  }

  /** Returns the end of the line that was shown last after this node. @returns {Node} */
  end() {
    let node = /** @type {Node} */ (this);
    for (let next = node.next(); next; next = node.next()) node = next;
    return node;
  }

  /** Returns the next node of the line that was shown last, or null. */
  next() {
    return this.last ?? this.children[0] ?? null;
  }

  /** Whether this node is `node` or comes after it. @param {Node} node */
  isWithin(node) {
    return this.path().includes(node);
  }
}

/** What is known about a win of a side. @typedef {'wins' | 'does_not_win' | 'no_win_found'} Verdict */
/** How a move of a puzzle ends that is not the solution. @typedef {'win' | 'loss' | 'draw' | 'unproven'} Ending */
/**
 * A puzzle: variant, grade, FEN, solution, the moves that mislead or win later with what follows, the moves of which nothing is
 * proven, the nodes that searched each of them, and themes. `u` is null if the file does not say what is proven.
 * @typedef {{ v: string, g: string, f: string, l: string, t: [string, Ending][], u: string[] | null, n: number, h: string[] }} Puzzle
 */
/** What the card of a puzzle says, and the move that it is about; `n`: the moves of its win; `draw`: a draw is proven; `why`: why it fails. @typedef {{ kind: 'find' | 'judging' | 'solved' | Verdict, move?: string, line?: string[], n?: number, draw?: boolean, why?: string }} PuzzleSaid */
/** A puzzle that is open; `day`: it is the puzzle of that day; `failed`: a move was wrong, or help was asked for. @typedef {{ puzzle: Puzzle, said: PuzzleSaid, day: string, failed: boolean }} OpenPuzzle */

/** Counts the variations after a node. @param {Node} node */
function branchesAfter(node) {
  let count = 0;
  const stack = [node];
  for (let at = stack.pop(); at; at = stack.pop()) {
    count += Math.max(at.children.length - 1, 0);
    stack.push(...at.children);
  }
  return count;
}

/** A game: its rules, its players, its tree. */
export class Game {
  /** The puzzle that the game is; null for other games. @type {OpenPuzzle | null} */
  puzzle = null;
  /**
   * @param {Shape} shape
   * @param {{ first?: string[], second?: string[], turn?: Side }} [setup] stones on the board at the start
   */
  constructor(shape, setup = {}) {
    this.id = Math.random().toString(36).slice(2, 10);
    /** The number of saved states, so that two tabs cannot both save the next one. */
    this.revision = 0;
    this.shape = shape;
    this.setup = { first: setup.first ?? [], second: setup.second ?? [] };
    const ahead = this.setup.first.length > this.setup.second.length;
    this.root = new Node(null, '', setup.turn ?? (ahead ? 'second' : 'first'));
    /** The position shown. */
    this.shown = this.root;
    /** The position in which the game continues. */
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
    /** The result that an imported record names. The board may not show it; `text`: its words. @type {(Result & { text: string }) | null} */
    this.said = null;
    /** The course of the opening; null if the game began without a rule. @type {import('./course.js').Course | null} */
    this.course = null;
    /** Properties of an imported record that the page does not use. @type {Record<string, string[]>} */
    this.extra = {};
    /** Whether a review has graded the game. */
    this.reviewed = false;
    /** The text of an imported record, while the game has no changes. */
    this.original = '';
    /** The number of changes of the tree, so that a view knows when to draw again. */
    this.changes = 0;
    /** The number of moves that are not the first one after their position: 0 in a game without variations. */
    this.branches = 0;
    /** The nodes in the order in which they were added since the last removal, for a view that follows a large tree. @type {Node[]} */
    this.added = [];
    /** The number of removals. */
    this.removals = 0;
  }

  /** Whether the game starts with stones on the board. */
  get hasSetup() {
    return this.setup.first.length + this.setup.second.length > 0;
  }

  /**
   * Returns the stones of a position by index, each with its side and the number of its move (0: set up).
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

  /** Returns the point to which a stone falls in a column; null if the column is full. @param {Node} node @param {number} c */
  drop(node, c) {
    const stones = this.stones(node);
    for (let r = 0; r < this.shape.h; r++) {
      if (!stones[indexOf({ c, r }, this.shape)]) return { c, r };
    }
    return null;
  }

  /** Returns where a stone goes that is played at a point; null if no stone can go there. @param {Node} node @param {Point} point */
  target(node, point) {
    if (!onBoard(point, this.shape)) return null;
    if (this.shape.gravity) return this.drop(node, point.c);
    return this.stones(node)[indexOf(point, this.shape)] ? null : point;
  }

  /**
   * Returns the child with a move, which is added if it is new. It becomes the child that was shown last.
   * @param {Node} node @param {string} move
   */
  add(node, move) {
    let child = node.children.find((known) => known.move === move);
    if (!child) {
      child = new Node(node, move, other(node.turn), node.ply + 1);
      if (node.children.push(child) > 1) this.branches++;
      this.added.push(child);
      this.changes++;
    }
    node.last = child;
    return child;
  }

  /** Makes the path to a node the main line. @param {Node} node */
  promote(node) {
    for (let at = node; at.parent; at = at.parent) {
      const siblings = at.parent.children;
      siblings.splice(siblings.indexOf(at), 1);
      siblings.unshift(at);
      at.parent.last = at;
    }
    this.changes++;
  }

  /** Removes a node and all nodes after it. @param {Node} node */
  remove(node) {
    const { parent } = node;
    if (!parent) return;
    parent.children.splice(parent.children.indexOf(node), 1);
    this.branches -= branchesAfter(node) + (parent.children.length ? 1 : 0);
    this.added = [];
    this.removals++;
    if (parent.last === node) parent.last = null;
    if (this.shown.isWithin(node)) this.shown = parent;
    if (this.live.isWithin(node)) {
      this.live = parent;
      this.result = null;
    }
    this.changes++;
  }

  /** Shows a position and remembers the path to it. @param {Node} node */
  show(node) {
    for (let at = node; at.parent; at = at.parent) at.parent.last = at;
    this.shown = node;
  }

  /** Returns the main line: the first child of each node. @returns {Node[]} */
  mainLine() {
    const line = [this.root];
    for (let node = this.root.children[0]; node; node = node.children[0]) line.push(node);
    return line;
  }

  /** Returns the line through the position shown, to its end. */
  line() {
    return this.shown.end().path();
  }

  /** Returns the stones of the line that ended the game, or none. @param {Node} node @returns {Point[]} */
  winningLine(node) {
    return (node.info?.line ?? []).map((name) => pointOf(name, this.shape)).filter((point) => point !== null);
  }

  /** Returns how a game ended that has this outcome for the engine. @param {Node} node @param {Side | 'draw'} outcome @returns {Result} */
  resultOf(node, outcome) {
    if (outcome === 'draw') return { winner: null, why: 'full' };
    return { winner: outcome, why: this.winningLine(node).length ? 'line' : 'forbidden' };
  }

  /** Returns the FEN of a position; undefined for an empty board with the first player to move. @param {Node} [node] @param {Side} [turn] the side to move */
  fen(node = this.root, turn = node.turn) {
    const stones = this.stones(node);
    if (!stones.length && turn === 'first') return undefined;
    const { w, h } = this.shape;
    const rows = [];
    for (let r = h - 1; r >= 0; r--) {
      let row = '';
      let empty = 0;
      for (let c = 0; c <= w; c++) {
        const stone = c < w ? stones[r * w + c] : undefined;
        if (c < w && !stone) {
          empty++;
          continue;
        }
        row += (empty || '') + (stone ? (stone.side === 'first' ? 'P' : 'p') : '');
        empty = 0;
      }
      rows.push(row);
    }
    return `${rows.join('/')} ${turn === 'first' ? 'w' : 'b'} - - 0 1`;
  }

  /** Returns the fields of a query that describe a position. @param {Node} node @param {Node} [from] the position where the moves begin */
  query(node, from = this.root) {
    const { variant, w, h, k, gravity, overline } = this.shape;
    const defaults = shapeOf(variant);
    /** @type {{ variant: string, moves: string[], fen?: string, board?: { width: number, height: number, connect?: number, gravity?: boolean, overline?: boolean } }} */
    const query = { variant, moves: node.moves().slice(from.ply) };
    if (variant === 'custom') query.board = { width: w, height: h, connect: k, gravity, overline };
    else if (w !== defaults.w || h !== defaults.h) query.board = { width: w, height: h };
    const fen = this.fen(from);
    if (fen) query.fen = fen;
    return query;
  }
}
