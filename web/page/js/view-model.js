//! The view model: the state of the application as texts, buttons and the scene of the board. It changes
//! nothing, sends no queries and handles no events.

import { indexOf, moveText, nameAt, other, pointOf } from './game.js';
import { t } from './text.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Node} Node */
/** @typedef {import('./game.js').Side} Side */
/** @typedef {import('./game.js').Point} Point */
/** @typedef {import('./game.js').Result} Result */
/** @typedef {import('./board.js').Colour} Colour */
/** @typedef {'play' | 'analyse' | 'review'} Mode */
/** @typedef {{ text: string, act: () => void }} Choice */

/** The page says that it connects, or that the engine thinks, only after this time in ms. */
export const STATUS_DELAY = 400;

/** Whether the page is as narrow as a phone. */
export const isNarrow = () => matchMedia('(max-width: 699px)').matches;

/** Writes a time as minutes and seconds; below 20 s as seconds and tenths. @param {number} ms */
export function clockText(ms) {
  const left = Math.max(ms, 0);
  if (left < 20_000) return (Math.floor(left / 100) / 10).toFixed(1);
  const seconds = Math.floor(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The base class of the application. */
export class ViewModel {
  /** This object, with its type. @returns {App} */
  get app() {
    return /** @type {any} */ (this);
  }

  /** Returns the colour of a side's stones. @param {Side} side @returns {Colour} */
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
    const { app } = this;
    const { seats } = app.game;
    if (app.mode !== 'play' || seats.first === seats.second) return app.sideName(side);
    return t(seats[side] === 'you' ? 'you' : 'app.name');
  }

  /** @param {Side} side @param {boolean} turn */
  playerNote(side, turn) {
    const { app } = this;
    const { seats, shown: node } = app.game;
    const over = app.over();
    const parts = [];
    if (app.playerName(side) !== app.sideName(side) && !isNarrow()) parts.push(app.sideName(side));
    if (over) parts.push(over.winner === side ? t('won') : '');
    else if (turn) parts.push(t('tomove'));
    else if (app.mode !== 'play' && node.move) parts.push(t('played.move', { move: moveText(node.move) }));
    else if (seats[side] === 'engine') parts.push(t(isNarrow() ? 'level' : 'level.of', { level: app.game.level }));
    return parts.filter(Boolean).join(' · ');
  }

  clockWords() {
    const { kind, base, inc } = this.app.game.clock;
    if (kind === 'none') return '';
    if (kind === 'move') return t('clock.permove', { s: base / 1000 });
    return t(inc ? 'clock.inc' : 'clock.game', { min: base / 60_000, s: inc / 1000 });
  }

  /** Returns the time that a side has left, in ms; null without clocks. @param {Side} side @returns {number | null} */
  clockLeft(side) {
    const { app } = this;
    if (app.mode !== 'play' || app.game.clock.kind === 'none') return null;
    return app.clock?.left(side) ?? app.game.live.left?.[side] ?? app.game.clock.base;
  }

  /** Returns the result of the game at the position shown, or null. @returns {Result | null} */
  over() {
    const { game } = this.app;
    if (game.shown === game.live && game.result) return game.result;
    const outcome = game.shown.info?.outcome;
    return outcome ? game.resultOf(game.shown, outcome) : null;
  }

  /** Returns the first player's expected score at the position shown, in per mille; null if unknown. */
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
    const { app } = this;
    return !app.review?.trying && !(app.mode === 'analyse' && app.game.shape.gravity);
  }

  chancesNote() {
    const { app } = this;
    const share = app.shareShown();
    if (app.mode !== 'play') return t('chances.bymove', { side: app.sideName('first') });
    return share === null || !app.settings.chances ? '' : `${app.sideName('first')} ${Math.round(share / 10)} %`;
  }

  /** Returns the signs below the board, and what they mean. @returns {[string, string][]} */
  legend() {
    const { app } = this;
    if (app.mode === 'analyse' && app.analysis) return app.analysis.legend();
    /** @type {[string, string][]} */
    const signs = [];
    if (app.game.shape.variant === 'renju') signs.push(['cross', t('legend.forbidden', { side: app.sideName('first') })]);
    if (app.game.shown.move) signs.push([app.numbered() ? 'ring' : 'dot', t('legend.last')]);
    return signs;
  }

  /** Whether stones have numbers. */
  numbered() {
    return this.app.game.shape.gravity ? false : this.app.numbers() !== 'off';
  }

  numbers() {
    const { app } = this;
    if (app.preview) return 'off';
    if (app.settings.numbers !== 'auto') return app.settings.numbers;
    return app.board.cellWidth() >= 30 ? 'all' : 'off';
  }

  /** Returns the number on the stone of a move, or ''. @param {number} ply */
  numberText(ply) {
    const { app } = this;
    const last = app.game.shown.ply;
    const shows = /** @type {Record<string, boolean>} */ ({
      all: true, last: ply === last, last5: ply > last - 5, from: ply > (app.numbersFrom ?? 0),
    })[app.numbers()];
    return shows && ply > 0 && !app.game.shape.gravity ? String(app.numbers() === 'from' ? ply - (app.numbersFrom ?? 0) : ply) : '';
  }

  /** Whether the user may place a stone now. */
  mayPlay() {
    const { app } = this;
    const { game } = app;
    if (app.connection.state !== 'open' || app.over()) return false;
    if (app.mode !== 'play') return !app.editing;
    if (game.shown !== game.live) return false;
    return app.opening ? app.opening.mayPlace(app) : game.seats[game.live.turn] === 'you';
  }

  /** @returns {import('./board.js').Scene} */
  scene() {
    const { app } = this;
    const { game } = app;
    const { shape, shown: node } = game;
    const last = pointOf(node.move, shape);
    const i = (/** @type {Point | null} */ point) => (point ? indexOf(point, shape) : null);
    const stones = game.stones(node).map((stone) => stone && { colour: app.colour(stone.side), text: app.numberText(stone.ply) });
    const free = app.mayPlay();
    const over = app.over();
    const wanted = app.aimed ?? (free && !app.preview ? app.hover ?? app.cursorPoint() : null);
    const ghost = i(wanted && game.target(node, wanted));
    const crosses = over ? [] : [...node.info?.forbidden.keys() ?? []].map((name) => i(pointOf(name, shape)) ?? -1);
    const hint = app.hint?.node === node ? i(pointOf(app.hint.move, shape)) : null;
    const aim = app.aimed ?? app.hover;
    return {
      stones, last: i(last), lastRing: last !== null && app.numberText(node.ply) !== '', crosses,
      flags: node.path().filter((at) => at.flag && at.move).map((at) => i(pointOf(at.move, shape)) ?? 0),
      discs: app.analysis?.discs() ?? [], line: app.lineScene(),
      ghost: ghost === null || crosses.includes(ghost) ? null : { i: ghost, colour: app.colour(node.turn) },
      aim: i(aim), cursor: app.aimed ? i(game.target(node, app.aimed)) : shape.gravity && app.cursor === null && free && app.hover ? ghost : app.cursor,
      hint, win: over?.why === 'line' ? game.winningLine(node) : [], locked: !free, label: (at) => app.label(at, stones, crosses),
      labelsKey: [game.id, game.setup.first, game.setup.second, node.moves(), crosses.length, app.cursor, app.cursor === null ? '' : app.analysis?.valueOf(nameAt(app.cursor, shape)), document.documentElement.lang].join(),
    };
  }

  cursorPoint() {
    const { cursor, game } = this.app;
    return cursor === null ? null : pointOf(nameAt(cursor, game.shape), game.shape);
  }

  /** Returns the stones of the previewed line. */
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

  /** Returns the label of a point for screen readers. @param {number} i @param {({ colour: Colour } | undefined)[]} stones @param {number[]} crosses */
  label(i, stones, crosses) {
    const { app } = this;
    const { shape, shown: node } = app.game;
    const name = nameAt(i, shape);
    const parts = [moveText(name)];
    const stone = stones[i];
    if (stone) {
      const at = node.path().find((step) => step.move === name);
      parts.push(t(`side.${stone.colour}`));
      if (at) parts.push(t('label.move', { ply: at.ply }));
      if (at && at === node) parts.push(t('label.last'));
    } else {
      parts.push(t('label.empty'));
      if (crosses.includes(i)) parts.push(t('label.forbidden'));
      const value = app.cursor === i ? app.analysis?.valueOf(name) : '';
      if (value) parts.push(value);
    }
    return parts.join(', ');
  }

  bannerText() {
    const { state, retryAt, since, lost } = this.app.connection;
    if (this.app.outdated) return t('conn.stale');
    if (!lost || performance.now() - since < STATUS_DELAY) return '';
    return state === 'gone' ? t('conn.retry', { s: Math.max(0, Math.ceil((retryAt - performance.now()) / 1000)) }) : t(`conn.${state}`);
  }

  /** Returns the text of the status. */
  statusText() {
    const { app } = this;
    const { game } = app;
    if (app.typed) return t('status.typed', { text: moveText(app.typed) });
    if (app.note) return app.note.text;
    if (app.mode === 'analyse') return '';
    if (app.mode === 'review') return app.review?.statusText() ?? '';
    if (game.shown !== game.live) return t('status.past', { at: game.shown.ply, all: game.live.ply });
    if (app.over()) return app.resultText();
    const opening = app.opening?.statusText(app);
    if (opening) return opening;
    if (app.connection.state === 'connecting' && !app.connection.opened) return t('conn.connecting');
    if (app.aimed) return t('place.help');
    const last = game.live.move ? t('status.last', { side: app.sideName(game.live.side), move: moveText(game.live.move) }) : '';
    const thinking = app.search ? performance.now() - app.search.since : 0;
    if (thinking >= STATUS_DELAY) return t('status.thinking', { s: Math.floor(thinking / 1000) });
    if (game.seats[game.live.turn] === 'engine') return last || t('status.start');
    const turn = game.seats.first === game.seats.second ? t('status.turn', { side: app.sideName(game.live.turn) }) : t('status.yours');
    return last ? `${turn} ${last}` : t('status.first');
  }

  resultText() {
    const { app } = this;
    const over = app.over();
    if (!over) return '';
    if (!over.winner) return t('result.draw');
    const loser = app.sideName(other(over.winner));
    const values = { side: app.sideName(over.winner), loser, k: app.game.shape.k };
    if (over.why === 'line' && app.game.shape.variant.endsWith('misere')) return t('result.misere', values);
    return t(`result.${over.why}`, values);
  }

  /** Returns the buttons of the status. @returns {Choice[]} */
  choices() {
    const { app } = this;
    if (app.note) return app.note.choices;
    if (app.mode === 'play' && app.game.shown !== app.game.live) return [{ text: t('status.back'), act: () => app.goTo(app.game.live) }];
    return app.mode === 'play' && !app.over() ? app.opening?.choices(app) ?? [] : [];
  }
}
