//! The positions of a tree of moves, equal under symmetry: what the tree plays in a position, however the position was reached.

import { indexOf, nameAt, pointOf } from './game.js';
import { allNodes } from './sgf.js';

/** @typedef {import('./game.js').Game} Game */
/** @typedef {import('./game.js').Node} Node */
/** @typedef {import('./game.js').Shape} Shape */
/** What is played in a position. `moves`: the move, and those equal to it by symmetry; `lines`: how many lines go on with it; `nodes`: the nodes of the tree after it @typedef {{ moves: string[], lines: number, nodes: Node[] }} Continuation */
/** The hashes of a position under each symmetry, two words for each. @typedef {Uint32Array} Hashes */

/** The symmetries of a board: with gravity the first two, of a rectangle the first four, of a square all. The last index of column and row is given. @type {((c: number, r: number, right: number, top: number) => [number, number])[]} */
const SYMMETRIES = [
  (c, r) => [c, r],
  (c, r, right) => [right - c, r],
  (c, r, _, top) => [c, top - r],
  (c, r, right, top) => [right - c, top - r],
  (c, r) => [r, c],
  (c, r, right) => [right - r, c],
  (c, r, _, top) => [r, top - c],
  (c, r, right, top) => [right - r, top - c],
];

/** Returns random words, the same ones each time. @param {number} count */
function randomWords(count) {
  let x = 0x9e3779b9;
  return Uint32Array.from({ length: count }, () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x;
  });
}

/** The positions of one shape of a board, as keys that are equal for positions that are equal by symmetry. */
class Positions {
  /** @param {Shape} shape */
  constructor(shape) {
    const { w, h, gravity } = shape;
    this.shape = shape;
    const symmetries = SYMMETRIES.slice(0, gravity ? 2 : w === h ? 8 : 4);
    /** The image of each point, by symmetry. */
    this.images = symmetries.map((image) =>
      Array.from({ length: w * h }, (_, i) => {
        const [c, r] = image(i % w, Math.floor(i / w), w - 1, h - 1);
        return indexOf({ c, r }, shape);
      }),
    );
    this.words = randomWords(w * h * 4);
  }

  /** Returns the hashes of the empty board. @returns {Hashes} */
  empty() {
    return new Uint32Array(this.images.length * 2);
  }

  /** Returns hashes with another stone. @param {Hashes} hashes @param {number} i @param {'first' | 'second'} side @returns {Hashes} */
  with(hashes, i, side) {
    return hashes.map((hash, n) => hash ^ (this.words[(this.images[n >> 1]?.[i] ?? 0) * 4 + (side === 'first' ? 0 : 2) + (n & 1)] ?? 0));
  }

  /** Returns the key of a position, and the symmetries that give it: several, if the position is equal to itself. @param {Hashes} hashes */
  canonical(hashes) {
    const keys = this.images.map((_, s) => ((hashes[2 * s] ?? 0) & 0x1fffff) * 2 ** 32 + (hashes[2 * s + 1] ?? 0));
    const key = Math.min(...keys);
    return { key, symmetries: keys.flatMap((one, s) => (one === key ? [s] : [])) };
  }

  /** Returns the hashes of a position of a game. @param {Game} game @param {Node} node */
  hashesOf(game, node) {
    return game.stones(node).reduce((all, stone, i) => (stone ? this.with(all, i, stone.side) : all), this.empty());
  }
}

/** The positions of the tree of a game. */
export class Tree {
  /** @param {Shape} shape */
  constructor(shape) {
    this.positions = new Positions(shape);
    /** The nodes with each position. @type {Map<number, Node[]>} */
    this.known = new Map();
    /** The position of each node: its key, a symmetry that gives it, and its hashes. @type {Map<Node, { key: number, symmetry: number, hashes: Hashes }>} */
    this.places = new Map();
    /** How many lines go through each node. @type {Map<Node, number>} */
    this.lines = new Map();
    /** The nodes that have another node after them. @type {Set<Node>} */
    this.branched = new Set();
  }

  /** Returns the whole tree of a game. @param {Game} game */
  static of(game) {
    const tree = new Tree(game.shape);
    tree.add(game, allNodes(game));
    return tree;
  }

  /** Adds nodes; each one comes after its parent. @param {Game} game @param {Node[]} nodes */
  add(game, nodes) {
    for (const node of nodes) {
      this.count(node);
      const before = node.parent && this.places.get(node.parent)?.hashes;
      const point = pointOf(node.move, game.shape);
      const own =
        before && point ? this.positions.with(before, indexOf(point, game.shape), node.side) : this.positions.hashesOf(game, node);
      const { key, symmetries } = this.positions.canonical(own);
      this.places.set(node, { key, symmetry: symmetries[0] ?? 0, hashes: own });
      const same = this.known.get(key);
      if (same) same.push(node);
      else this.known.set(key, [node]);
    }
  }

  /** Counts the line of a new node: it goes on with the one of its parent, or begins another one there. @param {Node} node */
  count(node) {
    const { parent } = node;
    this.lines.set(node, 1);
    if (!parent || !this.branched.has(parent)) return void (parent && this.branched.add(parent));
    for (let at = /** @type {Node | null} */ (parent); at; at = at.parent) this.lines.set(at, (this.lines.get(at) ?? 0) + 1);
  }

  /** Returns how many positions have a move of a side in the tree. @param {'first' | 'second'} side */
  positionsOf(side) {
    return [...this.known.values()].filter((nodes) => nodes.some(({ turn, children }) => turn === side && children.length)).length;
  }

  /** Returns the nodes of the tree that have the position of a node. @param {Game} game @param {Node} node */
  nodesAt(game, node) {
    return this.known.get(this.positions.canonical(this.positions.hashesOf(game, node)).key) ?? [];
  }

  /** Returns what the tree plays in a position, the move with the most lines first. @param {Game} game @param {Node} node @returns {Continuation[]} */
  continuations(game, node) {
    const { images, shape } = this.positions;
    const { key, symmetries } = this.positions.canonical(this.positions.hashesOf(game, node));
    /** @type {Map<number, Continuation>} */
    const all = new Map();
    for (const known of this.known.get(key) ?? []) {
      const own = this.places.get(known)?.symmetry ?? 0;
      for (const child of known.children) {
        const point = pointOf(child.move, shape);
        const place = this.places.get(child);
        if (!point || !place) continue;
        const image = images[own]?.[indexOf(point, shape)] ?? -1;
        const moves = symmetries.map((s) => nameAt(images[s]?.indexOf(image) ?? -1, shape));
        const one = all.get(place.key) ?? { moves: [], lines: 0, nodes: [] };
        // The move of the record itself is named first.
        const named = moves.includes(child.move) ? [child.move, ...moves] : moves;
        one.moves = [...new Set([...one.moves, ...named])];
        one.lines += this.lines.get(child) ?? 0;
        one.nodes.push(child);
        all.set(place.key, one);
      }
    }
    return [...all.values()].sort((a, b) => b.lines - a.lines);
  }
}
