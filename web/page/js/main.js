//! The application: holds the game, asks the server, and draws the views. Modules that the first view
//! does not need are loaded when they are used.

import { pageClient } from './client.js';
import { BoardView, listenKeys, listenPointer } from './board.js';
import { Panel } from './panel.js';
import { Game, indexOf, moveText, nameAt, shapeOf } from './game.js';
import { STATUS_DELAY, ViewModel } from './view-model.js';
import { announce, byId, chooseLanguage, loadLanguage, loadRest, loadStyle, setText, t } from './text.js';

/** @typedef {import('./game.js').Node} Node */
/** @typedef {import('./game.js').Point} Point */
/** @typedef {import('./game.js').Result} Result */
/** @typedef {import('./client.js').Reply} Reply */
/** @typedef {import('./view-model.js').Mode} Mode */
/** @typedef {import('./view-model.js').Choice} Choice */

/** The settings of a user, with their defaults. */
const SETTINGS = {
  theme: 'auto', language: '', entry: /** @type {'auto' | 'direct' | 'confirm' | 'slide'} */ ('auto'),
  numbers: /** @type {'auto' | 'off' | 'last' | 'last5' | 'all' | 'from'} */ ('auto'), coords: true,
  values: /** @type {'win' | 'score' | 'rank' | 'none'} */ ('win'), chances: true, warn: false, sounds: false,
  contrast: false, still: false, keys: true, wheel: false, lines: 6,
};

/** Returns a value of the browser's storage; null if it is missing or refused. @param {string} key */
function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export class App extends ViewModel {
  constructor() {
    super();
    this.settings = { ...SETTINGS, ...JSON.parse(stored('tengen.settings') ?? '{}') };
    this.game = new Game(shapeOf('renju'));
    /** @type {Mode} */
    this.mode = 'play';
    /** A temporary text in the status. @type {{ text: string, choices: Choice[] } | null} */
    this.note = null;
    /** The engine's search for a move. @type {{ id: string, node: Node, since: number } | null} */
    this.search = null;
    /** @type {import('./clock.js').Clock | null} */
    this.clock = null;
    /** @type {{ moves: string[], kind: string, from: 'row' | 'disc' | 'hint' } | null} */
    this.preview = null;
    /** @type {Point | null} */
    this.hover = null;
    /** The ghost stone that a finger has set and not yet confirmed. @type {Point | null} */
    this.aimed = null;
    /** @type {number | null} */
    this.cursor = null;
    this.typed = '';
    /** @type {{ node: Node, move: string, line: string[] } | null} */
    this.hint = null;
    this.resigning = false;
    this.zoomed = false;
    this.connection = { state: /** @type {import('./client.js').State} */ ('connecting'), retryAt: 0, since: performance.now(), opened: false, lost: false };
    /** @type {Reply | null} */
    this.version = null;
    this.outdated = false;
    /** The last 50 messages for the log. @type {string[]} */
    this.log = [];
    /** Whether the next frame draws the page. */
    this.framePending = false;
    /** Whether texts and game are loaded. The connection may open earlier. */
    this.started = false;
    /** @type {import('./analysis.js').Analysis | null} */
    this.analysis = null;
    /** @type {import('./review.js').Review | null} */
    this.review = null;
    /** @type {import('./play.js').Play | null} */
    this.play = null;
    /** @type {import('./opening.js').Opening | null} */
    this.opening = null;
    /** The mode that sets up stones, while it is on. @type {{ tap: (point: Point) => void } | null} */
    this.editing = null;
    /** @type {typeof import('./autosave.js') | null} */
    this.autosave = null;
    /** The position whose {@link Info} the server is asked for. @type {Node | null} */
    this.infoNode = null;
    /** The id of the query for it. @type {string | undefined} */
    this.infoId = undefined;
    /** A click that waits for the {@link Info} of its position. @type {{ node: Node, point: Point } | null} */
    this.pending = null;
    /** The numbers on stones start after this move. */
    this.numbersFrom = 0;
    /** The error of the link that opened the page, or ''. */
    this.linkError = '';
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.board = new BoardView(byId('board'));
    this.board.onMarks = () => this.refresh();
    /** @type {typeof import('./confirm-bar.js') | null} */
    this.confirm = null;
    this.panel = new Panel(this);
    this.client = /** @type {import('./client.js').Client} */ (pageClient);
    Object.assign(this.client.hooks, {
      changed: (/** @type {import('./client.js').State} */ state, /** @type {number} */ retryAt) => this.onState(state, retryAt),
      notice: (/** @type {Reply} */ reply) => this.onNotice(reply),
    });
  }

  /** Loads the language, then the game of the link or the last game. */
  async start() {
    const autosave = location.hash.length > 1 || stored('tengen.current') ? this.loadAutosave() : null;
    await this.useLanguage(chooseLanguage(this.settings.language, navigator.languages));
    this.applySettings();
    listenPointer(this);
    listenKeys(this);
    if (matchMedia('(pointer: coarse)').matches) void this.loadConfirm();
    this.listenPage();
    await (await autosave)?.restore(this);
    this.started = true;
    this.show(this.game.shown);
    if (this.linkError) this.fail(this.linkError);
    this.onState(this.client.state, this.client.retryAt);
    setTimeout(() => this.refresh(), STATUS_DELAY + 50);
  }

  listenPage() {
    document.addEventListener('click', (event) => {
      const button = event.target instanceof Element ? event.target.closest('button') : null;
      if (button?.dataset.act) this.act(button.dataset.act);
      else if (button?.dataset.mode) this.setMode(/** @type {Mode} */ (button.dataset.mode));
    });
    const wake = () => { if (!document.hidden) { this.client.wake(); this.refresh(); } };
    for (const kind of ['visibilitychange', 'online', 'pageshow']) addEventListener(kind, wake);
    addEventListener('resize', () => this.refresh());
    matchMedia('(prefers-color-scheme: dark)').onchange = () => this.applySettings();
    addEventListener('hashchange', (event) => void this.loadAutosave().then((autosave) => autosave.openLink(this, event.newURL)));
    addEventListener('storage', (event) => void this.loadAutosave().then((autosave) => autosave.otherTab(this, event)));
    for (const kind of ['pointermove', 'pointerdown', 'keydown', 'focusin', 'dragenter']) addEventListener(kind, () => void this.preload(), { once: true, capture: true });
    byId('entry').onsubmit = () => { const field = /** @type {HTMLInputElement} */ (byId('point')); this.command(field.value); field.value = ''; return false; };
    for (const tab of document.querySelectorAll('.tabs button')) tab.addEventListener('click', () => void import('./modes.js').then((modes) => modes.showTab(this, /** @type {HTMLElement} */ (tab))));
  }

  /** Loads the modules for playing, at the first user input. */
  async preload() {
    await Promise.all([this.loadPlay(), this.loadAutosave(), loadRest()]);
  }

  async loadPlay() {
    const { Play } = await import('./play.js');
    return (this.play ??= new Play(this));
  }

  /** Loads the bar that confirms a stone on a touch screen. */
  async loadConfirm() {
    if (this.confirm) return;
    const [confirm] = await Promise.all([import('./confirm-bar.js'), loadStyle('marks')]);
    if (!this.confirm) confirm.listenConfirm(this);
    this.confirm = confirm;
    this.refresh();
  }

  async loadAutosave() {
    const autosave = await import('./autosave.js');
    autosave.listen(this);
    return (this.autosave = autosave);
  }

  /** Calls `f` with `play.js`, immediately if it is loaded. @param {(play: import('./play.js').Play) => void} f */
  withPlay(f) {
    if (this.play) f(this.play);
    else void this.loadPlay().then(f);
  }

  save() {
    if (this.autosave) this.autosave.save(this);
    else void this.loadAutosave().then((autosave) => autosave.save(this));
  }

  /** Draws at the next frame. A hidden tab draws nothing. */
  refresh() {
    if (this.framePending || !this.started) return;
    this.framePending = true;
    requestAnimationFrame(() => {
      this.framePending = false;
      this.paint();
    });
  }

  paint() {
    document.body.dataset.mode = this.mode;
    this.board.setShape(this.game.shape);
    this.board.paint(this.scene());
    this.panel.paint();
    this.analysis?.paint();
    if (this.confirm) this.confirm.paintConfirm(this);
    else if (this.aimed) void this.loadConfirm();
    const at = this.cursor ?? (this.hover ? indexOf(this.hover, this.game.shape) : null);
    const field = /** @type {HTMLInputElement} */ (byId('point'));
    field.placeholder = at === null ? '' : moveText(nameAt(at, this.game.shape));
  }

  /** Announces a text to screen readers. @param {string} text @param {boolean} [again] also if it equals the last one */
  say(text, again) {
    announce(byId('say'), text, again);
  }

  /** Shows a temporary text in the status and announces it. @param {string} text @param {Choice[]} [choices] */
  tell(text, choices = []) {
    this.note = { text, choices };
    this.say(text, true);
    this.refresh();
  }

  /** Shows an error, announces it immediately, and logs it. @param {string} text @param {Choice[]} [choices] */
  fail(text, choices = []) {
    this.note = { text, choices };
    announce(byId('alert'), text, true);
    this.addLog(text);
    this.refresh();
  }

  /** Adds a line to the log. @param {string} text */
  addLog(text) {
    this.log = [...this.log, `${new Date().toLocaleTimeString()} ${text}`].slice(-50);
  }

  // Navigation.

  /** Goes to a position. @param {Node} node */
  goTo(node) {
    this.game.show(node);
    this.show(node);
  }

  /** Updates everything that depends on the position shown. @param {Node} node */
  show(node) {
    this.clearInput();
    this.hover = null;
    if (this.hint && this.hint.node !== node) this.hint = null;
    this.askInfo(node);
    this.analysis?.follow();
    this.advance();
    this.refresh();
    this.autosave?.writeHash(this);
  }

  /** Moves along the line shown. @param {number} count moves; below 0: backwards */
  step(count) {
    const line = this.game.line();
    const node = line[Math.min(Math.max(this.game.shown.ply + count, 0), line.length - 1)];
    if (node && node !== this.game.shown) this.goTo(node);
  }

  /** @param {Mode} mode */
  async setMode(mode) {
    if (mode === this.mode) return;
    if (mode !== 'play') void (mode === 'analyse' ? import('./analysis.js') : import('./review.js'));
    await (await import('./modes.js')).enter(this, mode);
  }

  /** Asks the server for the {@link Info} of a position. @param {Node} node */
  askInfo(node) {
    const { game } = this;
    if (node.info || this.infoNode === node) return;
    this.client.cancel(this.infoId);
    this.infoNode = node;
    this.infoId = this.client.ask({ action: 'position', include_legal: false, ...game.query(node) }, (reply) => {
      if (this.infoNode === node) this.infoNode = null;
      if (this.game !== game) return;
      if (reply.type === 'error') return this.withPlay((play) => play.onRefusal(node, reply));
      const forbidden = new Map((reply.forbidden ?? []).map((/** @type {any} */ at) => [at.move, at.why]));
      node.info = { forbidden, outcome: reply.outcome ?? null };
      if (node === game.live && node.info.outcome) this.finish(game.resultOf(node, node.info.outcome));
      const { pending } = this;
      this.pending = null;
      if (pending?.node === node) this.tap(pending.point);
      this.advance();
      this.refresh();
    });
  }

  // Playing.

  /** Handles a click on a point. @param {Point} point */
  tap(point) {
    this.withPlay((play) => play.tap(point));
  }

  /** @param {Point | null} point */
  aimAt(point) {
    this.withPlay((play) => play.aimAt(point));
  }

  /** @param {Game} game @param {boolean} [swap] */
  async useGame(game, swap) {
    await (await this.loadPlay()).useGame(game, swap);
  }

  /** Starts or restores a swap2 opening. @param {Game} game @param {boolean} fresh whether the opening starts */
  async openSwap(game, fresh) {
    const [{ Opening }] = await Promise.all([import('./opening.js'), loadRest()]);
    this.opening = new Opening(game, fresh);
  }

  /** @param {Result} result */
  finish(result) {
    this.withPlay((play) => play.finish(result));
  }

  /** Continues the game: asks for the position's {@link Info}, or lets the engine move. */
  advance() {
    const { game } = this;
    const node = game.live;
    if (this.mode !== 'play' || this.connection.state !== 'open' || !this.started) return;
    if (!node.info) return this.askInfo(node);
    if (game.result || node.info.outcome) return;
    const quiet = game.seats[node.turn] === 'you' && game.clock.kind === 'none' && !this.opening;
    if (!quiet) this.withPlay((play) => { if (game === this.game && node === game.live) play.advance(); });
  }

  /** Draws repeatedly while a time is shown: a search, a retry, a clock. */
  tick() {
    if (this.timer) return;
    const again = () => {
      this.timer = this.search || this.connection.state === 'gone' || this.clock?.running || this.analysis?.running ? setTimeout(again, this.clock?.running ? 100 : 250) : undefined;
      if (this.clock?.running) this.clock.check();
      this.refresh();
    };
    this.timer = setTimeout(again, 100);
  }

  /** Whether an action of a button is possible now. @param {string} act */
  can(act) {
    const { game } = this;
    const inPlay = this.mode === 'play' && !this.over();
    switch (act) {
      case 'undo': return this.mode === 'play' ? this.play?.undoTarget() != null : game.shown.parent !== null;
      case 'redo': return (this.mode === 'play' ? game.live : game.shown).next() !== null;
      case 'hint': return this.mayPlay() && !this.opening?.state;
      case 'resign': return inPlay && (game.seats.first === 'you' || game.seats.second === 'you') && !this.opening?.state;
      case 'swapsides': return inPlay && !this.opening?.state;
      case 'first': case 'back': return game.shown.parent !== null;
      case 'last': case 'forward': return game.shown.next() !== null;
      default: return true;
    }
  }

  /** Runs the action of a button or a key. @param {string} act */
  act(act) {
    if (!this.can(act)) return;
    if (act !== 'resign') this.resigning = false;
    switch (act) {
      case 'undo': case 'redo': case 'hint': case 'resign': case 'swapsides': return this.withPlay((play) => play[act === 'swapsides' ? 'swapSides' : act]());
      case 'first': return this.step(-9999);
      case 'back': return this.step(-1);
      case 'forward': return this.step(1);
      case 'last': return this.step(9999);
      case 'retry': return this.outdated ? location.reload() : this.client.connect();
      case 'theme': return this.set('theme', this.isDark() ? 'light' : 'dark');
      case 'chances': return this.set('chances', !this.settings.chances);
      case 'again': return this.withPlay((play) => play.newGame({ ...this.game, swap: this.game.swap }));
      case 'review': case 'analyse': return void this.setMode(act);
      case 'startstop': return this.analysis?.toggle();
      default: void import('./dialogs.js').then((dialogs) => dialogs.open(this, act));
    }
  }

  // The pointer and the cursor.

  /** @param {number | null} i @param {boolean} [visible] */
  setCursor(i, visible = true) {
    this.cursor = visible ? i : null;
    if (i !== null) this.board.moveTabStop(i, false);
    this.refresh();
  }

  /** Clears typed text, preview, ghost stone and note. Returns whether there was any. */
  clearInput() {
    const had = Boolean(this.typed || this.preview || this.aimed || this.note || this.resigning);
    Object.assign(this, { typed: '', preview: null, aimed: null, note: null, resigning: false });
    if (had) this.refresh();
    return had;
  }

  /** Runs a typed word: a point, or a command of the field Cursor. @param {string} word */
  command(word) {
    void import('./commands.js').then((commands) => commands.run(this, word));
  }

  // The connection.

  /** @param {import('./client.js').State} state @param {number} retryAt */
  onState(state, retryAt) {
    const before = this.connection;
    const lost = state === 'open' ? false : before.lost || state === 'gone';
    const since = before.state === state || (before.lost && lost) ? before.since : performance.now();
    this.connection = { state, retryAt, since, opened: before.opened || state === 'open', lost };
    if (!this.started) return;
    if (state === 'open') {
      if (before.lost) this.say(t('conn.back'));
      void this.client.reply({ action: 'query_version' }).then((version) => this.setVersion(version), () => {});
      this.analysis?.reconnected();
      this.advance();
    } else {
      if (lost && !before.lost) announce(byId('alert'), t('conn.gone'), true);
      this.clock?.stop();
      if (state === 'unauthorized') this.act('token');
      this.tick();
    }
    this.refresh();
  }

  /** @param {Reply} version */
  setVersion(version) {
    if (this.version && (version.version !== this.version.version || version.git !== this.version.git)) this.outdated = true;
    this.version ??= version;
    this.refresh();
  }

  /** @param {Reply} reply */
  onNotice(reply) {
    if (reply.code === 'shutting_down') this.tell(t('conn.closing'));
    else if (reply.type === 'error') this.fail(reply.message ?? reply.code);
    else this.addLog(reply.message ?? reply.type);
  }

  // Settings, storage, link.

  /** @template {keyof typeof SETTINGS} K @param {K} key @param {(typeof SETTINGS)[K]} value */
  set(key, value) {
    this.settings[key] = value;
    this.store('tengen.settings', JSON.stringify(this.settings));
    this.applySettings();
  }

  /** @param {string} key @param {string} text */
  store(key, text) {
    try {
      localStorage.setItem(key, text);
    } catch {
      this.tell(t('storage.refused'));
    }
  }

  isDark() {
    const { theme } = this.settings;
    return theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  }

  applySettings() {
    const root = document.documentElement;
    const { theme, contrast, still, coords, chances, entry } = this.settings;
    root.dataset.theme = theme;
    root.dataset.look = this.isDark() ? 'dark' : 'light';
    const classes = { contrast, still, nocoords: !coords, nochances: !chances, slide: entry === 'slide' };
    for (const [name, on] of Object.entries(classes)) root.classList.toggle(name, on);
    setText(byId('hidechances'), t(chances ? 'hide' : 'show'));
    this.refresh();
  }

  /** @param {string} name */
  async useLanguage(name) {
    await loadLanguage(name);
    document.documentElement.lang = name;
    for (const node of document.querySelectorAll('[data-t]')) setText(node, t(/** @type {HTMLElement} */ (node).dataset.t ?? ''));
    for (const node of document.querySelectorAll('[data-label]')) {
      const text = t(/** @type {HTMLElement} */ (node).dataset.label ?? '');
      node.setAttribute('aria-label', text);
      if (node instanceof HTMLButtonElement) node.title = text;
    }
    this.panel.reset();
    this.analysis?.reset();
    this.review?.redraw();
    document.title = t('title');
    this.refresh();
  }
}

void new App().start();
