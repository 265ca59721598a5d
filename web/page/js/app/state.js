//! The state of the page, and what follows from it: texts, buttons and the scene of the board. This module
//! changes nothing and sends no queries: `app.js` is the owner that does.

import { storedItem, t } from '../base/text.js';
import { Game, indexOf, moveText, nameAt, other, pointOf, shapeOf } from '../record/game.js';

/** @typedef {import('../record/game.js').Node} Node */
/** @typedef {import('../record/game.js').Side} Side */
/** @typedef {import('../record/game.js').Point} Point */
/** @typedef {import('../record/game.js').Result} Result */
/** @typedef {import('../protocol/client.js').Reply} Reply */
/** @typedef {import('../protocol/client.js').State} ConnectionState */
/** @typedef {import('../board/view.js').Colour} Colour */
/** @typedef {import('./parts.js').Mode} Mode */
/** @typedef {import('./parts.js').Choice} Choice */
/** @typedef {import('./parts.js').Preview} Preview */
/** @typedef {import('./parts.js').Editing} Editing */
/** @typedef {typeof SETTINGS} Settings */

/** The page says that it connects, or that the engine thinks, only after this time in ms. */
export const STATUS_DELAY = 400;

/** The settings of a user, with their defaults. Times in ms; 0: no limit, or the engine's choice. */
const SETTINGS = {
  theme: 'auto',
  language: '',
  entry: /** @type {'auto' | 'direct' | 'confirm' | 'slide'} */ ('auto'),
  numbers: /** @type {'auto' | 'off' | 'last' | 'last5' | 'all' | 'from'} */ ('auto'),
  coords: true,
  values: /** @type {'win' | 'score' | 'rank' | 'none'} */ ('win'),
  chances: false,
  warn: false,
  sounds: false,
  vibrate: false,
  pace: /** @type {'fast' | 'normal' | 'slow'} */ ('normal'),
  contrast: false,
  still: false,
  keys: true,
  wheel: false,
  lines: 6,
  engine: /** @type {'auto' | 'server' | 'page'} */ ('auto'),
  moveTime: 3000,
  searchTime: 0,
  searchNodes: 0,
  searchDepth: 0,
  threads: 0,
  memory: 64,
  budget: /** @type {'quick' | 'normal' | 'deep'} */ ('normal'),
  dots: true,
  folded: '',
};

/** Returns the stored settings. A value of another type than its default is ignored. @param {string | null} text @returns {Settings} */
export function readSettings(text) {
  const settings = { ...SETTINGS };
  try {
    const stored = JSON.parse(text ?? '{}');
    for (const [key, value] of Object.entries(SETTINGS)) {
      if (typeof stored?.[key] === typeof value) Object.assign(settings, { [key]: stored[key] });
    }
  } catch {
    // A corrupt text counts as no text.
  }
  return settings;
}

/** Writes a time as minutes and seconds; below 20 s as seconds and tenths. @param {number} ms */
export function clockText(ms) {
  const left = Math.max(ms, 0);
  if (left < 20_000) return (Math.floor(left / 100) / 10).toFixed(1);
  const seconds = Math.floor(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Whether little time is left: a tenth of the clock, or 10 s of a clock of more than 20 s. @param {number} left @param {number} base both in ms */
export const isLow = (left, base) => left < base / 10 || left < Math.min(10_000, base / 2);

/** Whether the page is as narrow as a phone. */
export const isNarrow = () => matchMedia('(max-width: 699px)').matches;

/** The state of the page, and what follows from it. */
export class State {
  settings = readSettings(storedItem('local', 'tengen.settings'));
  game = new Game(shapeOf('renju'));
  /** @type {Mode} */
  mode = 'play';
  /** The mode that the user chose last. It may still load. @type {Mode} */
  wantedMode = 'play';
  /** A temporary text in the status. @type {{ text: string, choices: Choice[] } | null} */
  note = null;
  /** The engine's search for a move. @type {{ id: string, node: Node, since: number } | null} */
  search = null;
  /** @type {import('./clock.js').Clock | null} */
  clock = null;
  /** @type {Preview | null} */
  preview = null;
  /** @type {Point | null} */
  hover = null;
  /** The ghost stone that a finger has set and not yet confirmed. @type {Point | null} */
  aimed = null;
  /** @type {number | null} */
  cursor = null;
  typed = '';
  /** @type {{ node: Node, move: string, line: string[] } | null} */
  hint = null;
  resigning = false;
  zoomed = false;
  connection = { state: /** @type {ConnectionState} */ ('connecting'), retryAt: 0, since: performance.now(), opened: false, lost: false };
  /** How much of the engine in the page is loaded, from 0 to 1; null if it does not load. @type {number | null} */
  loading = null;
  /** Why the engine in the page was not loaded; empty if nothing is wrong with it. */
  engineFault = '';
  /** @type {Reply | null} */
  version = null;
  /** Loads the new version of the page, if there is one. @type {(() => void) | null} */
  outdated = null;
  /** The last 50 messages for the log. @type {string[]} */
  log = [];
  /** Whether texts and game are loaded. The connection may open earlier. */
  started = false;
  /** The mode that sets up stones, while it is on. @type {Editing | null} */
  editing = null;
  /** A click that waits for the {@link Info} of its position. @type {{ node: Node, point: Point } | null} */
  pending = null;
  /** The numbers on stones start after this move. */
  numbersFrom = 0;
  /** The error of the link that opened the page, or ''. */
  linkError = '';

  /** Plays games, when it is loaded. @type {import('./parts.js').Player | null} */
  play = null;

  /** The loaded features by name. @type {Map<string, import('./parts.js').Feature>} */
  features = new Map();

  /** @param {import('../board/view.js').BoardView} board */
  constructor(board) {
    this.board = board;
  }

  /** Changes the state. Only `App` calls it. @param {Partial<State>} values @protected */
  change(values) {
    Object.assign(this, values);
  }

  /** Returns the colour of a side's stones. @param {Side} side @returns {Colour} */
  colour(side) {
    const first = (side === 'first') !== this.game.whiteFirst;
    return this.game.shape.gravity ? (first ? 'r' : 'y') : first ? 'b' : 'w';
  }

  /** @param {Side} side */
  sideName(side) {
    return this.colourName(this.colour(side));
  }

  /** The name of a colour, or its sign in tic-tac-toe. @param {Colour} colour */
  colourName(colour) {
    if (this.game.shape.variant === 'tictactoe') return colour === 'b' ? 'X' : 'O';
    return t(`side.${colour}`);
  }

  /** Returns the name of a player: of the record, or of the seat, or of the colour. @param {Side} side */
  playerName(side) {
    const { seats } = this.game;
    const own = this.game.extra[side === 'first' ? 'PB' : 'PW']?.[0];
    if (this.mode !== 'play' || seats.first === seats.second) return own || this.sideName(side);
    return t(seats[side] === 'engine' ? 'app.name' : seats[side]);
  }

  /** The names of the players in the record, as text; empty without names. */
  recordNames() {
    const { PB, PW } = this.game.extra;
    return [PB?.[0], PW?.[0]].filter(Boolean).join(' – ');
  }

  /** Returns the time that a side has left, in ms; null without clocks. @param {Side} side @returns {number | null} */
  clockLeft(side) {
    if (this.mode !== 'play' || this.game.clock.kind === 'none') return null;
    return this.clock?.left(side) ?? this.game.live.left?.[side] ?? this.game.clock.base;
  }

  /**
   * Returns the result at the position shown, or null. A game that was resigned or lost on time is over
   * only in play: its positions can be analysed.
   * @returns {Result | null}
   */
  over() {
    const { game } = this;
    const outcome = game.shown.info?.outcome;
    if (outcome) return game.resultOf(game.shown, outcome);
    return this.mode === 'play' && game.shown === game.live ? game.result : null;
  }

  /** Returns the first player's expected score at the position shown, in per mille; null if unknown. */
  shareShown() {
    const over = this.over();
    if (over) return over.winner === null ? 500 : over.winner === 'first' ? 1000 : 0;
    for (let node = /** @type {Node | null} */ (this.game.shown); node; node = node.parent) if (node.share !== null) return node.share;
    return null;
  }

  cursorPoint() {
    const { cursor, game } = this;
    return cursor === null ? null : pointOf(nameAt(cursor, game.shape), game.shape);
  }

  /** How the game ended; if the user has played the engine, first who of the two has won. */
  resultText() {
    const over = this.over();
    if (!over) return '';
    if (!over.winner) return t('result.draw');
    const { seats } = this.game;
    const own = this.mode === 'play' && seats.first !== seats.second;
    return (own ? `${t(seats[over.winner] === 'you' ? 'result.youwon' : 'result.youlost')} ` : '') + this.winText(over, over.winner);
  }

  /** @param {Result} over @param {Side} winner */
  winText(over, winner) {
    const loser = this.sideName(other(winner));
    const values = { side: this.sideName(winner), loser, k: this.game.shape.k };
    if (over.why === 'line' && this.game.shape.variant.endsWith('misere')) return t('result.misere', values);
    return t(`result.${over.why}`, values);
  }

  isDark() {
    const { theme } = this.settings;
    return theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  }

  /** Whether an action of a button is possible now. @param {string} act */
  can(act) {
    const { game } = this;
    const inPlay = this.mode === 'play' && !this.over();
    const { opens } = this;
    const inRoom = this.feature('room')?.can(act);
    if (inRoom !== undefined) return inRoom;
    switch (act) {
      case 'undo':
        return this.mode === 'play' ? this.play?.undoTarget() != null : game.shown.parent !== null;
      case 'redo':
        if (this.mode === 'play') return !opens && game.live.next() !== null;
        return game.shown.next() !== null;
      case 'hint':
        return this.mayPlay() && !opens;
      case 'resign':
        return inPlay && (game.seats.first === 'you' || game.seats.second === 'you') && !opens;
      case 'swapsides':
        return inPlay && game.seats.first !== game.seats.second && !opens;
      case 'playfrom':
        return !game.shown.info?.outcome && !this.editing;
      case 'first':
      case 'back':
        return game.shown.parent !== null;
      case 'last':
      case 'forward':
        return game.shown.next() !== null;
      default:
        return true;
    }
  }

  /** Describes a position that the user has gone to. @param {Node} node */
  stepText(node) {
    const move = node.move ? t('status.step', { side: this.sideName(node.side), move: moveText(node.move), ply: node.ply }) : t('start');
    return node.comment ? `${move} ${node.comment}` : move;
  }

  /** Returns the fields of a query that the settings give to every search. */
  effort() {
    return this.settings.threads ? { threads: this.settings.threads } : {};
  }

  /** Returns the line of the analysis that begins on a point. @param {Point} point */
  lineAt(point) {
    for (const feature of this.features.values()) {
      const line = feature.lineAt?.(point);
      if (line) return line;
    }
    return null;
  }

  /** Returns a feature; undefined if it is not loaded. @param {string} name @returns {any} */
  feature(name) {
    return this.features.get(name);
  }

  /** The feature that gives the status and the legend of the mode. */
  get modeFeature() {
    return [...this.features.values()].find((feature) => feature.mode === this.mode);
  }

  /** Whether the opening of the game is not over. */
  get opens() {
    return this.game.course?.over === false;
  }

  /** Whether the user may place a stone now. */
  mayPlay() {
    const { game } = this;
    if (this.connection.state !== 'open' || this.over()) return false;
    if (this.mode !== 'play') return !this.editing;
    if (game.shown !== game.live) return false;
    return this.opens ? Boolean(this.features.get('opening')?.mayPlace?.()) : game.seats[game.live.turn] === 'you';
  }

  /** @param {Side} side @param {boolean} turn */
  playerNote(side, turn) {
    const { seats, shown: node } = this.game;
    const over = this.over();
    const parts = [];
    if (this.playerName(side) !== this.sideName(side) && !isNarrow()) parts.push(this.sideName(side));
    if (over) parts.push(over.winner === side ? t('won') : '');
    else if (turn) parts.push(t('tomove'));
    else if (this.mode !== 'play' && node.move) parts.push(t('played.move', { move: moveText(node.move) }));
    else if (seats[side] === 'engine') parts.push(t(isNarrow() ? 'level' : 'level.of', { level: this.game.level }));
    return parts.filter(Boolean).join(' · ');
  }

  clockWords() {
    const { kind, base, inc } = this.game.clock;
    if (kind === 'none') return '';
    if (kind === 'move') return t('clock.permove', { s: base / 1000 });
    return t(inc ? 'clock.inc' : 'clock.game', { min: base / 60_000, s: inc / 1000 });
  }

  /** Whether the bar and the graph of chances are shown. While the user plays, a setting hides them. */
  barShown() {
    return this.mode !== 'play' || this.settings.chances;
  }

  /** Returns the signs below the board, and what they mean. @returns {[string, string][]} */
  legend() {
    const own = this.modeFeature?.legend?.();
    if (own) return own;
    /** @type {[string, string][]} */
    const signs = [];
    if (this.game.shape.variant === 'renju') signs.push(['cross', t('legend.forbidden', { side: this.sideName('first') })]);
    if (this.opens && this.mode === 'play') signs.push(...(this.features.get('opening')?.legend?.() ?? []));
    if (this.game.shown.move) signs.push([this.numbers() !== 'off' ? 'ring' : 'dot', t('legend.last')]);
    return signs;
  }

  /** Which stones have numbers. */
  numbers() {
    if (this.preview || this.game.shape.gravity || this.board.hasSigns) return 'off';
    if (this.settings.numbers !== 'auto') return this.settings.numbers;
    return this.board.cellWidth() >= 30 ? 'all' : 'off';
  }

  /** Returns the number on the stone of a move, or ''. @param {number} ply */
  numberText(ply) {
    const last = this.game.shown.ply;
    const numbers = this.numbers();
    const shows = /** @type {Record<string, boolean>} */ ({
      all: true,
      last: ply === last,
      last5: ply > last - 5,
      from: ply > this.numbersFrom,
    })[numbers];
    return shows && ply > 0 ? String(numbers === 'from' ? ply - this.numbersFrom : ply) : '';
  }

  /** Returns what the board shows. @returns {import('../board/view.js').Scene} */
  scene() {
    const { game } = this;
    const { shape, shown: node } = game;
    const last = pointOf(node.move, shape);
    const i = (/** @type {Point | null} */ point) => (point ? indexOf(point, shape) : null);
    const stones = game.stones(node).map((stone) => stone && { colour: this.colour(stone.side), text: this.numberText(stone.ply) });
    const free = this.mayPlay();
    const over = this.over();
    const wanted = this.aimed ?? (free && !this.preview ? (this.hover ?? this.cursorPoint()) : null);
    const ghost = i(wanted && game.target(node, wanted));
    const crosses = over ? [] : [...(node.info?.forbidden.keys() ?? [])].map((name) => i(pointOf(name, shape)) ?? -1);
    const hint = this.hint?.node === node ? i(pointOf(this.hint.move, shape)) : null;
    const aim = this.aimed ?? this.hover;
    const moves = node.path().filter((at) => at.move);
    /** @type {import('../board/view.js').Scene} */
    const scene = {
      stones,
      last: i(last),
      lastRing: last !== null && this.numberText(node.ply) !== '',
      crosses,
      flags: moves.filter((at) => at.flag).map((at) => i(pointOf(at.move, shape)) ?? 0),
      dots: [],
      discs: [],
      line: this.lineScene(),
      ghost: ghost === null || crosses.includes(ghost) ? null : { i: ghost, colour: this.colour(node.turn) },
      aim: i(aim),
      cursor: this.aimed
        ? i(game.target(node, this.aimed))
        : shape.gravity && this.cursor === null && free && this.hover
          ? ghost
          : this.cursor,
      hint,
      win: over?.why === 'line' ? game.winningLine(node) : [],
      locked: !free,
      words: new Map(),
      label: (at) => this.label(at, stones, crosses, scene.words),
      labelsKey: '',
    };
    for (const feature of this.features.values()) feature.scene?.(scene);
    scene.labelsKey = [
      game.id,
      game.setup.first,
      game.setup.second,
      node.moves(),
      crosses.length,
      ...scene.words,
      this.cursor,
      this.cursor === null ? '' : this.wordsOf(nameAt(this.cursor, shape)),
      document.documentElement.lang,
    ].join();
    return scene;
  }

  /** The value of a move in words, for screen readers. @param {string} move */
  wordsOf(move) {
    return [...this.features.values()].map((feature) => feature.wordsOf?.(move) ?? '').join('');
  }

  /** Returns the stones of the previewed line. */
  lineScene() {
    const { preview, game } = this;
    if (!preview) return [];
    let side = preview.side ?? game.shown.turn;
    return preview.moves.flatMap((move, n) => {
      const point = pointOf(move, game.shape);
      const stone = point && {
        i: indexOf(point, game.shape),
        colour: this.colour(side),
        text: String(n + 1),
        edge: n === 0 ? preview.kind : '',
      };
      side = other(side);
      return stone ? [stone] : [];
    });
  }

  /** Returns the label of a point for screen readers. @param {number} i @param {({ colour: Colour } | undefined)[]} stones @param {number[]} crosses @param {Map<number, string>} words */
  label(i, stones, crosses, words) {
    const { shape, shown: node } = this.game;
    const name = nameAt(i, shape);
    const parts = [moveText(name)];
    const stone = stones[i];
    if (stone) {
      const at = node.path().find((step) => step.move === name);
      parts.push(this.colourName(stone.colour));
      if (at) parts.push(t('label.move', { ply: at.ply }));
      if (at && at === node) parts.push(t('label.last'));
    } else {
      parts.push(t('label.empty'));
      if (crosses.includes(i)) parts.push(t('label.forbidden'));
      const word = words.get(i);
      if (word) parts.push(word);
      const value = this.cursor === i ? this.wordsOf(name) : '';
      if (value) parts.push(value);
    }
    return parts.join(', ');
  }

  /**
   * Returns the connection after a change. The port of an engine in the page opens before the engine is loaded; after a failure
   * the connection counts as open only when the engine is ready: `attempts` is 0.
   * @param {ConnectionState} state @param {number} retryAt @param {number} attempts
   */
  connectionAfter(state, retryAt, attempts) {
    const before = this.connection;
    const lost = state === 'open' ? attempts > 0 : before.lost || state === 'gone';
    const since = before.state === state || (before.lost && lost) ? before.since : performance.now();
    return { state, retryAt, since, opened: before.opened || state === 'open', lost };
  }

  /** Why the engine in the page is not there; empty if nothing is wrong with it. */
  get faultText() {
    return this.engineFault && t('engine.failed', { why: this.engineFault });
  }

  bannerText() {
    const { state, retryAt, since, lost } = this.connection;
    if (this.outdated) return t('conn.stale');
    if (!lost || performance.now() - since < STATUS_DELAY) return '';
    if (this.engineFault) return this.faultText;
    if (retryAt === Infinity) return t('conn.gone');
    return state === 'gone' ? t('conn.retry', { s: Math.max(0, Math.ceil((retryAt - performance.now()) / 1000)) }) : t(`conn.${state}`);
  }

  /** Returns the text of the status. */
  statusText() {
    const { game } = this;
    if (this.typed) return t('status.typed', { text: moveText(this.typed) });
    if (this.note) return this.note.text;
    // Not in the banner: the engine loads at the first touch, when nothing may move the board. In steps, because it is read out.
    if (this.loading !== null) return t('engine.loading', { share: Math.round(this.loading * 4) * 25 });
    if (this.mode !== 'play') return this.modeFeature?.status?.() ?? '';
    if (game.shown !== game.live) return t('status.past', { at: game.shown.ply, all: game.live.ply });
    const inRoom = this.feature('room')?.status();
    if (inRoom) return inRoom;
    if (this.over()) return this.resultText();
    const opening = game.course && this.features.get('opening')?.status?.();
    if (opening) return opening;
    if (this.connection.state === 'connecting' && !this.connection.opened) return t('conn.connecting');
    if (this.aimed) return t('place.help');
    const last = game.live.move ? t('status.last', { side: this.sideName(game.live.side), move: moveText(game.live.move) }) : '';
    const thinking = this.search ? performance.now() - this.search.since : 0;
    if (thinking >= STATUS_DELAY) return t('status.thinking', { s: Math.floor(thinking / 1000) });
    if (game.seats[game.live.turn] === 'engine') return last || t('status.start');
    const turn = game.seats.first === game.seats.second ? t('status.turn', { side: this.sideName(game.live.turn) }) : t('status.yours');
    const said = game.seats.first === game.seats.second ? this.saidText() : '';
    return [said, last ? `${turn} ${last}` : t('status.first')].filter(Boolean).join(' ');
  }

  /** Returns the result that the record of an imported game names, as text. */
  saidText() {
    const { said } = this.game;
    if (!said) return '';
    if (!said.winner) return t('said.draw');
    return t(`said.${said.why}`, { side: this.sideName(said.winner) });
  }

  /** Returns the buttons of the status. @returns {Choice[]} */
  choices() {
    if (this.note) return this.note.choices;
    if (this.mode !== 'play') return this.modeFeature?.choices?.() ?? [];
    const { game } = this;
    if (game.shown !== game.live) return [{ text: t('status.back'), act: () => this.goTo(game.live) }];
    const inRoom = this.feature('room')?.choices() ?? [];
    if (inRoom.length) return inRoom;
    return this.over() || !game.course ? [] : (this.features.get('opening')?.choices?.() ?? []);
  }

  /** Goes to a position. `App` does it. @param {Node} _node */
  goTo(_node) {}
}
