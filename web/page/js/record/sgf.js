//! Reads and writes records in the Smart Game Format, with variations, comments and marks. Errors name
//! line and character. The module knows the format and the tree, not the page.
// CITE: Arno Hollosi, "SGF File Format FF[4]", https://www.red-bean.com/sgf/sgf4.html

import { courseText, readCourse } from './course.js';
import { Game, Node, VARIANTS, nameOf, onBoard, pointOf, shapeOf } from './game.js';

/** @typedef {import('./game.js').Side} Side */
/** @typedef {import('./game.js').Shape} Shape */
/** @typedef {{ text: string, at: number }} Value */
/** @typedef {Map<string, Value[]>} Properties */
/** @typedef {{ properties: Properties, children: RawNode[], text: string }} RawNode `text`: the properties as the record writes them */

/** An error in a record, with its line and column from 1. `key` is the key of the message. */
export class RecordError extends Error {
  /** @param {string} text @param {number} at @param {string} key @param {string} [what] */
  constructor(text, at, key, what = '') {
    super(`${key}: ${what}`);
    const before = text.slice(0, at).split('\n');
    this.line = before.length;
    this.column = [...(before.at(-1) ?? '')].length + 1;
    this.key = key;
    this.what = what;
  }
}

/** Parses the first game of a record. */
class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** @param {string} key @param {string} [what] @returns {never} */
  fail(key, what) {
    const found = this.at < this.text.length ? this.text.slice(this.at, this.at + 12).split('\n')[0] : '';
    throw new RecordError(this.text, this.at, found || what ? key : 'sgf.end', what ?? found);
  }

  skip() {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
  }

  /** @returns {RawNode} */
  game() {
    const begin = this.text.search(/\(\s*;/);
    if (begin < 0) this.fail('sgf.none');
    this.at = begin;
    return this.tree();
  }

  /** Parses one tree in parentheses. There is no recursion, because records can be deep. @returns {RawNode} */
  tree() {
    /** @type {RawNode | null} */
    let root = null;
    /** @type {(RawNode | null)[]} */
    const open = [];
    /** @type {RawNode | null} */
    let node = null;
    let begins = false;
    do {
      this.skip();
      const sign = this.text[this.at];
      if (sign === '(') {
        if (begins) this.fail('sgf.node');
        open.push(node);
        begins = true;
      } else if (sign === ')') {
        if (begins) this.fail('sgf.node');
        node = open.pop() ?? null;
      } else if (sign === ';') {
        this.at++;
        const from = this.at;
        /** @type {RawNode} */
        const next = { properties: this.properties(), children: [], text: '' };
        next.text = this.text.slice(from, this.at);
        if (node) node.children.push(next);
        root ??= next;
        node = next;
        begins = false;
        continue;
      } else {
        this.fail('sgf.sign');
      }
      this.at++;
    } while (open.length);
    return /** @type {RawNode} */ (root);
  }

  properties() {
    /** @type {Properties} */
    const all = new Map();
    for (;;) {
      this.skip();
      const begin = this.at;
      while (/[A-Za-z]/.test(this.text[this.at] ?? '')) this.at++;
      if (this.at === begin) return all;
      // Old records have small letters in names. They do not count.
      const name = this.text.slice(begin, this.at).replace(/[a-z]/g, '');
      all.set(name, [...(all.get(name) ?? []), ...this.values()]);
    }
  }

  values() {
    const values = [];
    for (this.skip(); this.text[this.at] === '['; this.skip()) values.push(this.value());
    if (!values.length) this.fail('sgf.value');
    return values;
  }

  /** @returns {Value} */
  value() {
    const begin = ++this.at;
    let text = '';
    for (;;) {
      const sign = this.text[this.at++];
      if (sign === undefined) {
        this.at = begin - 1;
        this.fail('sgf.open');
      }
      if (sign === ']') return { text, at: begin };
      if (sign !== '\\') text += sign;
      else if (this.text[this.at] === '\n') this.at++;
      else text += this.text[this.at++] ?? '';
    }
  }
}

/** Names of rules in records, without blanks and signs. */
const RULES = /** @type {Record<string, string>} */ ({
  freestyle: 'gomokufreestyle',
  freestylegomoku: 'gomokufreestyle',
  free: 'gomokufreestyle',
  gobang: 'gomokufreestyle',
  standard: 'gomoku',
  standardgomoku: 'gomoku',
  exactfive: 'gomoku',
  rif: 'renju',
  renjurif: 'renju',
  cfourmisere: 'cfour-misere',
  connectfour: 'cfour',
  connect4: 'cfour',
  fourinarow: 'cfour',
  vietnamese: 'caro',
});

/** @param {string} text the `RU` of a record @returns {string | undefined} */
function variantOf(text) {
  const plain = text.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (Object.hasOwn(VARIANTS, plain)) return plain;
  return Object.hasOwn(RULES, plain) ? RULES[plain] : undefined;
}

/**
 * Reads the first game of a record.
 * @param {string} text @returns {Game}
 */
export function readSgf(text) {
  const root = new Reader(text).game();
  const own = (/** @type {string} */ name) => root.properties.get(name)?.[0];
  const rules = own('RU');
  const variant = variantOf(rules?.text ?? '') ?? (own('GM')?.text.trim() === '4' ? 'gomokufreestyle' : undefined);
  if (!variant) throw new RecordError(text, rules?.at ?? 0, 'sgf.game', rules?.text ?? '');
  const shape = readShape(text, variant, root.properties);
  const game = new Game(shape, readSetup(text, shape, root.properties));
  const last = addTree(text, game, root);
  game.extra = extraOf(root.properties);
  const course = own('XW')?.text;
  game.course = readCourse(course);
  // Another program may mean something else by this name.
  if (course && !game.course) game.extra.XW = [course];
  game.said = readResult(own('RE')?.text ?? '');
  game.live = last;
  game.show(last);
  noteSources(game);
  game.original = text;
  return game;
}

/** @param {string} text @param {string} variant @param {Properties} properties */
function readShape(text, variant, properties) {
  const size = properties.get('SZ')?.[0];
  const [w, h = w] = size?.text.trim() ? size.text.split(':').map((side) => Number(side.trim())) : [];
  const numbers = (/** @type {number | undefined} */ n) => n === undefined || (Number.isInteger(n) && n >= 1 && n <= 26);
  if (!numbers(w) || !numbers(h)) throw new RecordError(text, size?.at ?? 0, 'sgf.size', size?.text);
  const connect = Number(properties.get('KK')?.[0]?.text) || undefined;
  const own = variant === 'custom' ? { gravity: properties.has('GV'), overline: properties.get('OV')?.[0]?.text !== '0' } : {};
  return shapeOf(variant, { w, h, k: connect, ...own });
}

/** @param {string} text @param {Shape} shape @param {Properties} properties */
function readSetup(text, shape, properties) {
  const points = (/** @type {string} */ name) =>
    (properties.get(name) ?? []).filter((value) => value.text).map((value) => readPoint(text, shape, value));
  const player = properties.get('PL')?.[0]?.text.trim().toLowerCase();
  const turn = /** @type {Side | undefined} */ (player?.startsWith('b') ? 'first' : player?.startsWith('w') ? 'second' : undefined);
  return { first: points('AB'), second: points('AW'), turn };
}

/** @param {string} text @param {Shape} shape @param {Value} value */
function readPoint(text, shape, value) {
  const plain = value.text.trim().toLowerCase();
  const [c, top] = /^[a-z]{2}$/.test(plain) ? [plain.charCodeAt(0) - 97, plain.charCodeAt(1) - 97] : [];
  const point = c === undefined ? pointOf(plain, shape) : { c, r: shape.h - 1 - (top ?? 0) };
  if (!point || !onBoard(point, shape)) throw new RecordError(text, value.at, 'sgf.point', value.text);
  return nameOf(point);
}

/**
 * Adds the nodes of a record to a game. Returns the end of the main line.
 * @param {string} text @param {Game} game @param {RawNode} root
 */
function addTree(text, game, root) {
  /** @type {[RawNode, Node][]} */
  const stack = [[root, game.root]];
  const merged = new Set();
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [raw, parent] = next;
    const node = addNode(text, game, raw, parent, raw === root, merged);
    for (const child of raw.children.toReversed()) stack.push([child, node]);
  }
  for (let node = game.root; node; node = /** @type {Node} */ (node.children[0])) node.last = node.children[0] ?? null;
  return game.root.end();
}

/** Whether a stone can be played on a point. A record has many moves, so the board is built only where stones fall. @param {Game} game @param {Node} node @param {string} name */
function takes(game, node, name) {
  const point = pointOf(name, game.shape);
  if (game.shape.gravity) return point !== null && game.drop(node, point.c)?.r === point.r;
  for (let at = /** @type {Node | null} */ (node); at; at = at.parent) if (at.move === name) return false;
  return !game.setup.first.includes(name) && !game.setup.second.includes(name);
}

/** @param {string} text @param {Game} game @param {RawNode} raw @param {Node} parent @param {boolean} isRoot @param {Set<Node>} merged the nodes that have remarks */
function addNode(text, game, raw, parent, isRoot, merged) {
  let node = parent;
  // Old programs write several moves in a node.
  const moves = /** @type {[Side, Value][]} */ ([
    ...(raw.properties.get('B') ?? []).map((value) => ['first', value]),
    ...(raw.properties.get('W') ?? []).map((value) => ['second', value]),
  ]);
  for (const [side, value] of moves.sort(([, one], [, other]) => one.at - other.at)) {
    if (side !== node.turn) {
      const free = node === game.root && !node.children.length && !game.hasSetup;
      if (!free) throw new RecordError(text, value.at, 'sgf.turn', value.text);
      node.turn = side;
    }
    const point = readPoint(text, game.shape, value);
    if (!takes(game, node, point)) throw new RecordError(text, value.at, 'sgf.taken', value.text);
    node = game.add(node, point);
  }
  readRemarks(node, raw.properties);
  const isOwn = isRoot ? node === game.root : node.parent === parent;
  // Remarks that were joined from several nodes of the record cannot be written as they were read.
  node.source = isOwn && !merged.has(node) ? { text: raw.text, plain: '', bare: '' } : null;
  merged.add(node);
  return node;
}

/** @param {Node} node @param {Properties} properties */
function readRemarks(node, properties) {
  const first = (/** @type {string} */ name) => properties.get(name)?.[0]?.text;
  const comment = properties
    .get('C')
    ?.map((value) => value.text)
    .join('\n');
  if (comment) node.comment = node.comment ? `${node.comment}\n${comment}` : comment;
  if (properties.has('DO')) node.mark = '?!';
  if (properties.has('BM')) node.mark = first('BM') === '2' ? '??' : '?';
  if (properties.has('HO')) node.flag = true;
  const share = first('SBKV');
  if (share && Number.isFinite(Number(share))) node.share = Math.round(Number(share) * 10);
  const [black, white] = [Number(first('BL') ?? NaN), Number(first('WL') ?? NaN)];
  if (black >= 0 && white >= 0) node.left = { first: black * 1000, second: white * 1000 };
}

/** Returns the properties of the first node of a game; none if they are broken. @param {string} text @returns {Properties} */
export function headOf(text) {
  const reader = new Reader(text);
  reader.at = text.indexOf(';') + 1;
  try {
    return reader.properties();
  } catch (error) {
    if (error instanceof RecordError) return new Map();
    throw error;
  }
}

/** Returns the texts on the points of a position, as the record has them. @param {Node} node @param {Shape} shape @returns {Map<string, string>} */
export function labelsOf(node, shape) {
  const values = node.source?.text.includes('LB[') ? (new Reader(node.source.text).properties().get('LB') ?? []) : [];
  const found = values.map(({ text }) => /^([a-z])([a-z]):(.*)$/s.exec(text)).filter((parts) => parts !== null);
  const at = (/** @type {string | undefined} */ letter) => (letter ?? '').charCodeAt(0) - 97;
  return new Map(found.map(([, c, r, label = '']) => [nameOf({ c: at(c), r: shape.h - 1 - at(r) }), label.trim()]));
}

/** The properties that this module understands. All others are kept as they are. */
const KNOWN = new Set([
  'FF',
  'GM',
  'CA',
  'AP',
  'SZ',
  'RU',
  'RE',
  'AB',
  'AW',
  'PL',
  'B',
  'W',
  'C',
  'DO',
  'BM',
  'HO',
  'BL',
  'WL',
  'SBKV',
  'KK',
  'GV',
  'OV',
  'XW',
]);

/** @param {Properties} properties @returns {Record<string, string[]>} */
function extraOf(properties) {
  const others = [...properties].filter(([name]) => !KNOWN.has(name));
  return Object.fromEntries(others.map(([name, values]) => [name, values.map((value) => value.text)]));
}

/** Reads a result such as `B+R`; null if it names none. @param {string} text @returns {Game['said']} */
function readResult(text) {
  const parts = /^\s*(?:([BW])\+([A-Z]?)|(0|draw|jigo|1\/2|½))/i.exec(text);
  if (!parts) return null;
  const winner = parts[1] ? /** @type {Side} */ (parts[1].toUpperCase() === 'B' ? 'first' : 'second') : null;
  const why = { T: /** @type {const} */ ('time'), R: /** @type {const} */ ('resign'), F: /** @type {const} */ ('forbidden') }[
    (parts[2] ?? '').toUpperCase()
  ];
  return { winner, why: why ?? (winner ? 'line' : 'full'), text };
}

/** Notes the form in which each node would be written, so that a later change is seen. @param {Game} game */
function noteSources(game) {
  for (const node of allNodes(game)) {
    if (node.source) Object.assign(node.source, { plain: formOf(game, node, {}), bare: formOf(game, node, { values: false }) });
  }
}

/** Returns all nodes of a game, each before the nodes after it. @param {Game} game */
export function allNodes(game) {
  const nodes = [];
  /** @type {Node[]} */
  const stack = [game.root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    nodes.push(node);
    const { children } = node;
    for (let n = children.length - 1; n >= 0; n--) stack.push(/** @type {Node} */ (children[n]));
  }
  return nodes;
}

/** The names of rules that are written, where they differ from the variant. */
const RULE_NAMES = /** @type {Record<string, string>} */ ({ gomokufreestyle: 'freestyle', gomoku: 'standard' });

/** What is written. @typedef {{ names?: { first?: string, second?: string }, values?: boolean }} Options `names`: of the players, if the record has none; `values`: whether the values of searches are written */

/**
 * Writes a game with all variations. Nodes that have not changed are written as the record had them.
 * @param {Game} game @param {Options} [options]
 */
export function writeSgf(game, options = {}) {
  return `(;${nodeText(game, game.root, options)}${treeText(game, options)})\n`;
}

/** Writes a game for others. An imported record without changes comes back as it was. @param {Game} game @param {Options} [options] */
export function exportSgf(game, options = {}) {
  const { original } = game;
  const { values } = options;
  const text = writeSgf(game, original ? { values } : options);
  const own = original && writeSgf(readSgf(original)) === text ? original : text;
  // The text is written in UTF-8, whatever the imported file was written in.
  return own.replace(/CA\[(?!utf-?8\])[^\]]*\]/i, 'CA[UTF-8]');
}

/** The properties of the root. @param {Game} game @param {Options} options */
function headText(game, { names = {} }) {
  const { shape } = game;
  let text = 'FF[4]CA[UTF-8]AP[Tengen]';
  if (VARIANTS[shape.variant]?.five) text += 'GM[4]';
  text += `SZ[${shape.w === shape.h ? shape.w : `${shape.w}:${shape.h}`}]RU[${RULE_NAMES[shape.variant] ?? shape.variant}]`;
  if (shape.variant === 'custom') text += `KK[${shape.k}]${shape.gravity ? 'GV[1]' : ''}${shape.overline ? '' : 'OV[0]'}`;
  const { PB = [names.first ?? ''], PW = [names.second ?? ''], ...extra } = game.extra;
  for (const [name, values] of Object.entries({ PB, PW })) if (values[0]) text += property(name, values);
  for (const [name, values] of Object.entries(extra)) text += property(name, values);
  if (game.course) text += property('XW', [courseText(game.course)]);
  return text + setupText(game) + resultText(game);
}

/** What this module writes of a node. @param {Game} game @param {Node} node @param {Options} options */
function plainText(game, node, options) {
  const move = node.parent ? `${node.side === 'first' ? 'B' : 'W'}[${sgfPoint(node.move, game.shape)}]` : '';
  return move + formOf(game, node, options);
}

/** What this module writes of a node, without its move, which never changes. @param {Game} game @param {Node} node @param {Options} options */
const formOf = (game, node, options) => (node.parent ? '' : headText(game, options)) + remarks(node, options);

/** The text of a node: as the record had it if it has not changed, else with the properties of the record that this module does not know. @param {Game} game @param {Node} node @param {Options} options */
function nodeText(game, node, options) {
  const { source } = node;
  const { values = true } = options;
  // A save writes all nodes, so the form of those that have not changed must be quick.
  if (source && (formOf(game, node, {}) === source.plain || (!values && formOf(game, node, { values }) === source.bare)))
    return source.text;
  const plain = plainText(game, node, options);
  if (!source || !node.parent) return plain;
  const unknown = [...new Reader(source.text).properties()].filter(([name]) => !KNOWN.has(name));
  return (
    plain +
    unknown
      .map(([name, values]) =>
        property(
          name,
          values.map((value) => value.text),
        ),
      )
      .join('')
  );
}

/** @param {string} name @param {string[]} values */
const property = (name, values) => name + values.map((value) => `[${escaped(value)}]`).join('');

/** @param {string} text */
const escaped = (text) => text.replace(/[\\\]]/g, '\\$&');

/** @param {Game} game */
function setupText(game) {
  const points = (/** @type {string[]} */ names) => names.map((name) => `[${sgfPoint(name, game.shape)}]`).join('');
  const { first, second } = game.setup;
  const player = game.hasSetup || game.root.turn === 'second' ? `PL[${game.root.turn === 'first' ? 'B' : 'W'}]` : '';
  return (first.length ? `AB${points(first)}` : '') + (second.length ? `AW${points(second)}` : '') + player;
}

/** @param {Game} game */
function resultText({ result: own, said }) {
  const result = own ?? said;
  if (!result) return '';
  // The words of the record stay, unless the game has ended in another way.
  if (said && said.winner === result.winner) return `RE[${escaped(said.text)}]`;
  if (!result.winner) return 'RE[0]';
  const why = { time: 'T', resign: 'R', line: '', full: '', forbidden: 'F' }[result.why];
  return `RE[${result.winner === 'first' ? 'B' : 'W'}+${why}]`;
}

/** @param {string} name @param {Shape} shape */
function sgfPoint(name, shape) {
  const point = pointOf(name, shape);
  return point ? String.fromCharCode(97 + point.c, 97 + shape.h - 1 - point.r) : '';
}

/** @param {Node} node @param {Options} options */
function remarks(node, { values = true }) {
  let text = '';
  if (node.mark === '?!') text += 'DO[]';
  if (node.mark === '?') text += 'BM[1]';
  if (node.mark === '??') text += 'BM[2]';
  if (node.flag) text += 'HO[1]';
  if (values && node.share !== null) text += `SBKV[${(node.share / 10).toFixed(1)}]`;
  if (node.left) text += `BL[${node.left.first / 1000}]WL[${node.left.second / 1000}]`;
  return node.comment ? `${text}C[${escaped(node.comment)}]` : text;
}

/** Writes all moves, without recursion. @param {Game} game @param {Options} options */
function treeText(game, options) {
  let text = '';
  /** @type {(Node | string)[]} */
  const stack = [];
  const enter = (/** @type {Node} */ node) => {
    const { children } = node;
    for (let n = children.length - 1; n >= 0; n--) {
      const child = /** @type {Node} */ (children[n]);
      if (children.length > 1) stack.push(')', child, '(');
      else stack.push(child);
    }
  };
  enter(game.root);
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') {
      text += next;
      continue;
    }
    text += `;${nodeText(game, next, options)}`;
    enter(next);
  }
  return text;
}

/**
 * Decodes a file: as UTF-8 if possible, else in the encoding that the record names, else as Latin-1.
 * @param {ArrayBuffer} bytes
 */
export function decodeRecord(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const plain = new TextDecoder('latin1').decode(bytes);
    const name = /CA\[([^\]]+)\]/.exec(plain)?.[1] ?? 'latin1';
    try {
      return new TextDecoder(name).decode(bytes);
    } catch {
      throw new RecordError(plain, plain.indexOf('CA['), 'sgf.charset', name);
    }
  }
}
