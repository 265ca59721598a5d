//! What is shown: the state of the application as the views see it, in words and as a scene. It
//! changes nothing, asks no server and listens to no one.

import { Game, indexOf, nameOf, other, pointOf, shapeOf } from './game.js';
import { shown } from './panel.js';
import { t } from './text.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Node} Node */
/** @typedef {import('./game.js').Side} Side */
/** @typedef {import('./game.js').Point} Point */
/** @typedef {import('./game.js').Result} Result */
/** @typedef {import('./client.js').Reply} Reply */
/** @typedef {import('./board.js').Colour} Colour */
/** @typedef {'play' | 'analyse' | 'review'} Mode */
/** @typedef {{ text: string, act: () => void }} Choice */

/** What a user may set, and what holds at first. */
export const SETTINGS = {
  theme: 'auto', language: '', entry: /** @type {'auto' | 'direct' | 'confirm' | 'slide'} */ ('auto'),
  numbers: /** @type {'auto' | 'off' | 'last' | 'last5' | 'all' | 'from'} */ ('auto'), coords: true,
  values: /** @type {'win' | 'score' | 'rank' | 'none'} */ ('win'), chances: true, warn: false, sounds: false,
  contrast: false, still: false, keys: true, wheel: false, lines: 6,
};

/** After so long, in ms, the page says that it connects or that the engine thinks. */
export const SOON = 400;

/** Whether the page is as narrow as a phone. */
const isNarrow = () => matchMedia('(max-width: 699px)').matches;

/** Reads a value of the browser's storage. @param {string} key */
export function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export class Shown {
  /** The application that this is a part of. @returns {App} */
  get app() {
    return /** @type {any} */ (this);
  }

  /** The side to move in the position shown. */
  turnOf() {
    return this.app.game.shown.turn;
  }

  /** How a side's stones look. @param {Side} side @returns {Colour} */
  colour(side) {
    const first = (side === 'first') !== this.app.game.whiteFirst;
    return this.app.game.shape.gravity ? (first ? 'r' : 'y') : first ? 'b' : 'w';
  }

  /** @param {Side} side */
  sideName(side) {
    return t(`side.${this.app.colour(side)}`);
  }

  /** @param {Side} side */
  playerName(side) {
    const { seats } = this.app.game;
    if (this.app.mode !== 'play' || seats.first === seats.second) return this.app.sideName(side);
    return t(seats[side] === 'you' ? 'you' : 'app.name');
  }

  /** @param {Side} side @param {boolean} turn */
  playerNote(side, turn) {
    const { seats, shown: node } = this.app.game;
    const over = this.app.over();
    const parts = [];
    if (this.app.playerName(side) !== this.app.sideName(side) && !isNarrow()) parts.push(this.app.sideName(side));
    if (over) parts.push(over.winner === side ? t('won') : '');
    else if (turn) parts.push(t('tomove'));
    else if (this.app.mode !== 'play' && node.move) parts.push(t('played.move', { move: shown(node.move) }));
    else if (seats[side] === 'engine') parts.push(t(isNarrow() ? 'level' : 'level.of', { level: this.app.game.level }));
    return parts.filter(Boolean).join(' · ');
  }

  clockWords() {
    const { kind, base, inc } = this.app.game.clock;
    if (kind === 'none') return '';
    if (kind === 'move') return t('clock.permove', { s: base / 1000 });
    return t(inc ? 'clock.inc' : 'clock.game', { min: base / 60_000, s: inc / 1000 });
  }

  /** @param {Side} side @returns {number | null} */
  clockLeft(side) {
    if (this.app.mode !== 'play' || this.app.game.clock.kind === 'none') return null;
    return this.app.clock?.left(side) ?? this.app.game.live.left?.[side] ?? this.app.game.clock.base;
  }

  /** The result of the position shown, or null. @returns {Result | null} */
  over() {
    const { game } = this.app;
    if (game.shown === game.live && game.result) return game.result;
    const outcome = game.shown.judged?.outcome;
    return outcome ? game.resultOf(game.shown, outcome) : null;
  }

  /** The first player's share of the position shown, in per mille. */
  shareShown() {
    const over = this.app.over();
    if (over) return over.winner === null ? 500 : over.winner === 'first' ? 1000 : 0;
    for (let node = /** @type {Node | null} */ (this.app.game.shown); node; node = node.parent) if (node.share !== null) return node.share;
    return null;
  }

  barShown() {
    return this.app.mode === 'play' ? this.app.settings.chances : true;
  }

  chancesShown() {
    return !this.app.review?.trying && !(this.app.mode === 'analyse' && this.app.game.shape.gravity);
  }

  chancesNote() {
    const share = this.app.shareShown();
    if (this.app.mode !== 'play') return t('chances.bymove', { side: this.app.sideName('first') });
    return share === null || !this.app.settings.chances ? '' : `${this.app.sideName('first')} ${Math.round(share / 10)} %`;
  }

  movesNote() {
    const branches = countBranches(this.app.game.root);
    return this.app.mode === 'play' || !branches ? t('played', { n: this.app.game.line().length - 1 }) : t('variations', { n: branches });
  }

  /** Signs under the board and what they mean. @returns {[string, string][]} */
  legend() {
    if (this.app.mode === 'analyse' && this.app.analysis) return this.app.analysis.legend();
    /** @type {[string, string][]} */
    const signs = [];
    if (this.app.game.shape.variant === 'renju') signs.push(['cross', t('legend.forbidden', { side: this.app.sideName('first') })]);
    if (this.app.game.shown.move) signs.push([this.app.numbered() ? 'ring' : 'dot', t('legend.last')]);
    return signs;
  }

  /** Whether stones bear numbers. */
  numbered() {
    return this.app.game.shape.gravity ? false : this.app.numbers() !== 'off';
  }

  numbers() {
    if (this.app.preview) return 'off';
    if (this.app.settings.numbers !== 'auto') return this.app.settings.numbers;
    return this.app.board.cellWidth() >= 30 ? 'all' : 'off';
  }

  /** @param {number} ply */
  numberText(ply) {
    const last = this.app.game.shown.ply;
    const shows = /** @type {Record<string, boolean>} */ ({
      all: true, last: ply === last, last5: ply > last - 5, from: ply > (this.app.numbersFrom ?? 0),
    })[this.app.numbers()];
    return shows && ply > 0 && !this.app.game.shape.gravity ? String(this.app.numbers() === 'from' ? ply - (this.app.numbersFrom ?? 0) : ply) : '';
  }

  /** Whether a user may put a stone on the board shown. */
  mayPlay() {
    const { game } = this.app;
    if (this.app.connection.state !== 'open' || this.app.over()) return false;
    if (this.app.mode !== 'play') return !this.app.editing;
    if (game.shown !== game.live) return false;
    return this.app.opening ? this.app.opening.mayPlace(this.app) : game.seats[game.live.turn] === 'you';
  }

  /** @returns {import('./board.js').Scene} */
  scene() {
    const { game } = this.app;
    const { shape, shown: node } = game;
    const last = pointOf(node.move, shape);
    const i = (/** @type {Point | null} */ point) => (point ? indexOf(point, shape) : null);
    const stones = game.stones(node).map((stone) => stone && { colour: this.app.colour(stone.side), text: this.app.numberText(stone.ply) });
    const free = this.app.mayPlay();
    const over = this.app.over();
    const wanted = this.app.aimed ?? (free && !this.app.preview ? this.app.hover ?? this.app.cursorPoint() : null);
    const ghost = i(wanted && game.target(node, wanted));
    const crosses = over ? [] : [...node.judged?.forbidden.keys() ?? []].map((name) => i(pointOf(name, shape)) ?? -1);
    const hint = this.app.hint?.node === node ? i(pointOf(this.app.hint.move, shape)) : null;
    const aim = this.app.aimed ?? this.app.hover;
    return {
      stones, last: i(last), lastRing: last !== null && this.app.numberText(node.ply) !== '', crosses,
      flags: node.path().filter((at) => at.flag && at.move).map((at) => i(pointOf(at.move, shape)) ?? 0),
      discs: this.app.analysis?.discs() ?? [], line: this.app.lineScene(),
      ghost: ghost === null || crosses.includes(ghost) ? null : { i: ghost, colour: this.app.colour(node.turn), held: this.app.aimed !== null },
      aim: i(aim), cursor: this.app.aimed ? i(game.target(node, this.app.aimed)) : shape.gravity && this.app.cursor === null && free && this.app.hover ? ghost : this.app.cursor,
      hint, win: over?.why === 'line' ? game.winningLine(node) : [], locked: !free, label: (at) => this.app.label(at, stones, crosses),
      labels: [game.id, node.moves().join(''), this.app.game.setup.first.length, this.app.game.setup.second.length, crosses.length, this.app.cursor, this.app.cursor === null ? '' : this.app.analysis?.valueOf(nameOf({ c: this.app.cursor % shape.w, r: Math.floor(this.app.cursor / shape.w) })), document.documentElement.lang].join(),
    };
  }

  cursorPoint() {
    return this.app.cursor === null ? null : { c: this.app.cursor % this.app.game.shape.w, r: Math.floor(this.app.cursor / this.app.game.shape.w) };
  }

  /** Ghost stones of the previewed line. */
  lineScene() {
    const { preview, game } = this.app;
    if (!preview) return [];
    let side = game.shown.turn;
    return preview.moves.flatMap((move, n) => {
      const point = pointOf(move, game.shape);
      const stone = point && { i: indexOf(point, game.shape), colour: this.app.colour(side), text: String(n + 1), edge: n === 0 ? preview.kind : '' };
      side = other(side);
      return stone ? [stone] : [];
    });
  }

  /** What a point is called for readers. @param {number} i @param {({ colour: Colour } | undefined)[]} stones @param {number[]} crosses */
  label(i, stones, crosses) {
    const { shape, shown: node } = this.app.game;
    const name = nameOf({ c: i % shape.w, r: Math.floor(i / shape.w) });
    const parts = [shown(name)];
    const stone = stones[i];
    if (stone) {
      const at = node.path().find((step) => step.move === name);
      parts.push(t(`side.${stone.colour}`));
      if (at) parts.push(t('label.move', { ply: at.ply }));
      if (at && at === node) parts.push(t('label.last'));
    } else {
      parts.push(t('label.empty'));
      if (crosses.includes(i)) parts.push(t('label.forbidden'));
      const value = this.app.cursor === i ? this.app.analysis?.valueOf(name) : '';
      if (value) parts.push(value);
    }
    return parts.join(', ');
  }

  bannerText() {
    const { state, retryAt, since } = this.app.connection;
    if (this.app.stale) return t('conn.stale');
    if (state !== 'gone' || performance.now() - since < SOON) return '';
    return t('conn.retry', { s: Math.max(0, Math.ceil((retryAt - performance.now()) / 1000)) });
  }

  /** The sentence of the status. */
  statusText() {
    const { game } = this.app;
    if (this.app.typed) return t('status.typed', { text: shown(this.app.typed) });
    if (this.app.note) return this.app.note.text;
    if (this.app.mode === 'analyse') return this.app.analysis?.statusText() ?? '';
    if (this.app.mode === 'review') return this.app.review?.statusText() ?? '';
    if (game.shown !== game.live) return t('status.past', { at: game.shown.ply, all: game.live.ply });
    if (this.app.over()) return this.app.resultText();
    const opening = this.app.opening?.statusText(this.app);
    if (opening) return opening;
    if (this.app.connection.state === 'connecting' && !this.app.connection.was) return t('conn.connecting');
    const last = game.live.move ? t('status.last', { side: this.app.sideName(game.live.side), move: shown(game.live.move) }) : '';
    if (this.app.search && performance.now() - this.app.search.since >= SOON) return t('status.thinking', { s: Math.floor((performance.now() - this.app.search.since) / 1000) });
    if (game.seats[game.live.turn] === 'engine') return last || t('status.start');
    const turn = game.seats.first === game.seats.second ? t('status.turn', { side: this.app.sideName(game.live.turn) }) : t('status.yours');
    return last ? `${turn} ${last}` : t('status.first');
  }

  resultText() {
    const over = this.app.over();
    if (!over) return '';
    if (!over.winner) return t('result.draw');
    const loser = this.app.sideName(other(over.winner));
    const values = { side: this.app.sideName(over.winner), loser, k: this.app.game.shape.k };
    if (over.why === 'line' && this.app.game.shape.variant.endsWith('misere')) return t('result.misere', values);
    return t(`result.${over.why}`, values);
  }

  /** Buttons in the status. @returns {Choice[]} */
  choices() {
    if (this.app.note) return this.app.note.choices;
    if (this.app.mode === 'play' && this.app.game.shown !== this.app.game.live) return [{ text: t('status.back'), act: () => this.app.goTo(this.app.game.live) }];
    return this.app.mode === 'play' && !this.app.over() ? this.app.opening?.choices(this.app) ?? [] : [];
  }
}

/** @param {Node} root */
function countBranches(root) {
  let count = 0;
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    count += Math.max(node.children.length - 1, 0);
    waiting.push(...node.children);
  }
  return count;
}
