//! The application: the one owner of the page's state. Other modules read the state and change it by the
//! actions of `App`. Features, dialogs and views are given by `main.js`, so this module imports none of them.

import { announce, byId, loadLanguage, loadRest, loadStyle, setText, storeItem, t, writeTexts } from '../base/text.js';
import { State } from './state.js';

/** @typedef {import('../record/game.js').Game} Game */
/** @typedef {import('../record/game.js').Node} Node */
/** @typedef {import('../record/game.js').Point} Point */
/** @typedef {import('../protocol/client.js').Reply} Reply */
/** @typedef {import('../protocol/client.js').State} ConnectionState */
/** @typedef {import('./parts.js').Choice} Choice */
/** @typedef {import('./parts.js').Feature} Feature */
/** @typedef {import('./state.js').Settings} Settings */

/** The moves that a button goes along the line. */
const STEPS = /** @type {Record<string, number>} */ ({ first: -9999, back: -1, forward: 1, last: 9999 });

/** After this time, in ms, a message says that a click waits for a part of the page. */
const SLOW_MS = 500;

export class App extends State {
  /** @param {import('./parts.js').Parts} parts */
  constructor(parts) {
    super(parts.board);
    this.parts = parts;
    this.client = parts.client;
    this.known = parts.features;
    /** @type {Map<string, Promise<Feature>>} */
    this.loadingFeatures = new Map();
    /** What draws the page, besides the features. @type {{ paint: () => void, reset: () => void }[]} */
    this.views = [];
    /** @type {import('./parts.js').Saver | null} */
    this.saver = null;
    /** Whether the next frame draws the page. */
    this.framePending = false;
    /** The position whose {@link Info} the engine is asked for. @type {Node | null} */
    this.infoNode = null;
    /** The id of the query for it. @type {string | undefined} */
    this.infoId = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    parts.board.onMarks = () => this.refresh();
    Object.assign(parts.client.hooks, {
      changed: (/** @type {ConnectionState} */ state, /** @type {number} */ retryAt) => this.onState(state, retryAt),
      notice: (/** @type {Reply} */ reply) => this.onNotice(reply),
      loading: (/** @type {number | null} */ part) => this.onLoading(part),
      words: t,
    });
  }

  // Loading parts of the page.

  /** Loads a feature with its styles, once. @param {string} name @returns {Promise<any>} */
  load(name) {
    const loading = this.loadingFeatures.get(name) ?? this.loadFeature(name);
    this.loadingFeatures.set(name, loading);
    loading.catch(() => this.loadingFeatures.delete(name));
    return loading;
  }

  /** @param {string} name @returns {Promise<Feature>} */
  async loadFeature(name) {
    const entry = this.known[name];
    if (!entry) throw new Error(`no feature "${name}"`);
    const [module] = await Promise.all([entry.load(), loadRest(), ...(entry.styles ?? []).map(loadStyle)]);
    const feature = /** @type {Feature} */ (module.mount(this));
    this.features.set(name, feature);
    this.refresh();
    return feature;
  }

  /**
   * Loads something and shows an error if it does not come.
   * @template T @param {Promise<T>} loading @param {() => void} [again] offered to the user
   * @returns {Promise<T | null>}
   */
  async loaded(loading, again) {
    try {
      return await loading;
    } catch (error) {
      // The browsers' words for a module or file that could not be loaded.
      if (!(error instanceof TypeError) || !/import|module|fetch|load/i.test(error.message)) throw error;
      // Browsers remember that a module did not load, so only a new page has it. The game is kept.
      const reload = () =>
        void this.loaded(fetch(location.href, { method: 'HEAD', cache: 'no-store' }), reload).then((reply) => reply && location.reload());
      const act = again && !/module/i.test(error.message) ? again : reload;
      if (this.note?.text !== t('load.failed')) this.fail(t('load.failed'), [{ text: t('retry'), act }]);
      return null;
    }
  }

  /** Loads what plays. Without what saves no move is played, because it could be lost. */
  async loadPlay() {
    const [player] = await Promise.all([this.parts.loadPlay(this), this.loadAutosave(), loadRest()]);
    this.change({ play: player });
    return player;
  }

  async loadAutosave() {
    return (this.saver = await this.parts.loadSaver(this));
  }

  /**
   * Calls `f` with `play.js`, immediately if it is loaded. What was meant for another position is dropped with a word.
   * @param {(play: import('./parts.js').Player) => void} f
   */
  withPlay(f) {
    if (this.play) return f(this.play);
    const { shown } = this.game;
    const slow = setTimeout(() => this.tell(t('loading')), SLOW_MS);
    void this.loaded(this.loadPlay()).then((play) => {
      clearTimeout(slow);
      if (this.note?.text === t('loading')) this.change({ note: null });
      if (!play) return;
      if (shown === this.game.shown) f(play);
      else this.tell(t('click.stale'));
    });
  }

  save() {
    void this.loaded(this.loadAutosave()).then((saver) => saver?.save());
  }

  /** Shows the loaded game and begins to draw. */
  begin() {
    this.change({ started: true });
    this.show(this.game.shown);
    if (this.linkError) this.fail(this.linkError);
    this.onState(this.client.state, this.client.retryAt);
  }

  /** @param {string} text the error of the link that opened the page */
  setLinkError(text) {
    this.change({ linkError: text });
    this.fail(text);
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
    for (const view of this.views) view.paint();
    for (const feature of this.features.values()) feature.paint?.();
  }

  /** Draws repeatedly while a time is shown: a search, a retry, a clock. */
  tick() {
    if (this.timer) return;
    const again = () => {
      const runs =
        this.search ||
        this.connection.state === 'gone' ||
        this.clock?.running ||
        [...this.features.values()].some((feature) => feature.running);
      this.timer = runs ? setTimeout(again, this.clock?.running ? 100 : 250) : undefined;
      if (this.clock?.running) this.clock.check();
      this.refresh();
    };
    this.timer = setTimeout(again, 100);
  }

  /** Announces a text to screen readers. @param {string} text @param {boolean} [again] also if it equals the last one */
  say(text, again) {
    if (text) announce(byId('say'), text, again);
  }

  /** Shows a temporary text in the status and announces it. @param {string} text @param {Choice[]} [choices] */
  tell(text, choices = []) {
    this.change({ note: { text, choices } });
    this.say(text, true);
    this.refresh();
  }

  /** Shows an error, announces it immediately, and logs it. @param {string} text @param {Choice[]} [choices] */
  fail(text, choices = []) {
    this.change({ note: { text, choices } });
    announce(byId('alert'), text, true);
    this.addLog(text);
    this.refresh();
  }

  /** Adds a line to the log. @param {string} text */
  addLog(text) {
    this.change({ log: [...this.log, `${new Date().toLocaleTimeString()} ${text}`].slice(-50) });
  }

  // The game.

  /**
   * Shows another game.
   * @param {Game} game @param {{ rule?: string, undo?: string }} [options] rule: of the opening with which it begins; undo: a text that offers the way back to the game before
   */
  async useGame(game, { rule = '', undo = '' } = {}) {
    if ((rule || game.course) && !(await this.loaded(this.load('opening')))) return;
    const before = this.game;
    this.play?.stop();
    this.client.cancel(this.infoId);
    this.infoNode = null;
    this.change({ search: null, clock: null, hint: null, editing: null, pending: null, numbersFrom: 0 });
    this.board.animate = false;
    this.change({ game });
    for (const feature of this.features.values()) feature.gameChanged?.();
    if (rule) this.feature('opening').begin(rule);
    this.show(game.shown);
    this.save();
    // What the status says about the new game stays readable.
    if (undo) this.tell(`${undo} ${this.statusText()}`, [{ text: t('undo'), act: () => void this.useGame(before) }]);
  }

  /** Takes the stored state of the game, which another tab has saved. @param {Game} game */
  takeGame(game) {
    this.client.cancel(this.search?.id);
    this.client.cancel(this.infoId);
    this.infoNode = null;
    this.change({ search: null, clock: null, game });
    for (const feature of this.features.values()) feature.gameChanged?.();
    if (this.started) this.show(game.shown);
  }

  /** Goes to a position and announces it. @param {Node} node */
  goTo(node) {
    this.game.show(node);
    this.show(node);
    this.say(this.stepText(node));
  }

  /** Updates everything that depends on the position shown. @param {Node} node */
  show(node) {
    this.clearInput();
    this.change({ hover: null });
    if (this.hint && this.hint.node !== node) this.change({ hint: null });
    this.askInfo(node);
    for (const feature of this.features.values()) feature.follow?.(node);
    this.advance();
    this.refresh();
    this.saver?.writeHash();
  }

  /** Moves along the line shown. @param {number} count moves; below 0: backwards */
  step(count) {
    const line = this.game.line();
    const node = line[Math.min(Math.max(this.game.shown.ply + count, 0), line.length - 1)];
    if (node && node !== this.game.shown) this.goTo(node);
  }

  /** @param {import('./parts.js').Mode} mode */
  async setMode(mode) {
    this.change({ wantedMode: mode });
    if (mode === this.mode) return;
    const names = Object.keys(this.known).filter((name) => this.known[name]?.mode === mode);
    const loaded = await this.loaded(Promise.all([loadRest(), ...names.map((name) => this.load(name))]), () => void this.setMode(mode));
    // The user may have chosen another mode since.
    if (!loaded || this.wantedMode !== mode || this.mode === mode) return;
    this.client.cancel(this.search?.id);
    this.change({ search: null });
    this.clock?.stop();
    this.change({ mode });
    this.editing?.cancel();
    if (mode === 'play') this.game.show(this.game.live);
    for (const feature of this.features.values()) feature.enter?.();
    this.show(this.game.shown);
    this.say(t(`mode.${mode}`));
  }

  /** Shows a game in which stones are set up, or ends that. @param {import('./parts.js').Editing | null} editing @param {Game} [game] */
  setEditing(editing, game = this.game) {
    this.change({ editing, game });
    for (const feature of this.features.values()) feature.follow?.(game.shown);
    this.refresh();
  }

  // Asking the engine.

  /** Asks for the {@link Info} of a position. @param {Node} node */
  askInfo(node) {
    const { game } = this;
    if (node.info || this.infoNode === node) return;
    if (!node.parent && !game.hasSetup) {
      node.info = { forbidden: new Map(), outcome: null, line: [] };
      return;
    }
    this.client.cancel(this.infoId);
    this.infoNode = node;
    this.infoId = this.client.ask(
      { action: 'position', include_legal: false, include_winning_line: true, ...game.query(node) },
      (reply) => {
        if (this.infoNode === node) this.infoNode = null;
        if (this.game !== game) return;
        if (reply.type === 'error') return this.withPlay((play) => play.onRefusal(node, reply));
        const forbidden = new Map((reply.forbidden ?? []).map((/** @type {any} */ at) => [at.move, at.why]));
        const { outcome = null, winning_line: line = [], opening } = reply;
        node.info = { forbidden, outcome, line: line ?? [], opening };
        if (node === game.live && outcome) this.withPlay((play) => play.finish(game.resultOf(node, outcome)));
        const { pending } = this;
        this.change({ pending: null });
        if (pending?.node === node) this.tap(pending.point);
        this.advance();
        this.refresh();
      },
    );
  }

  // Playing. The actions of `play.js` change the state by these methods.

  /** Handles a click on a point. @param {Point} point */
  tap(point) {
    this.withPlay((play) => play.tap(point));
  }

  /** Continues the game: asks for the position's {@link Info}, or lets the engine move. */
  advance() {
    const { game } = this;
    const node = game.live;
    if (this.mode !== 'play' || this.connection.state !== 'open' || !this.started) return;
    if (!node.info) return this.askInfo(node);
    if (game.result || node.info.outcome) return;
    const quiet = game.seats[node.turn] === 'you' && game.clock.kind === 'none' && !this.opens;
    if (!quiet)
      void this.loaded(this.loadPlay()).then((play) => {
        if (game === this.game && node === game.live) play?.advance();
      });
  }

  /** Makes a position the one in which the game continues. @param {Node} node @param {import('../record/game.js').Result | null} [result] */
  setLive(node, result = null) {
    this.game.live = node;
    this.game.result = result;
  }

  /** @param {State['search']} search */
  setSearch(search) {
    if (this.search && this.search.id !== search?.id) this.client.cancel(this.search.id);
    this.change({ search });
    if (search) this.tick();
  }

  /** @param {import('./clock.js').Clock} clock */
  setClock(clock) {
    this.change({ clock });
    this.tick();
  }

  /** A click waits for the {@link Info} of its position. @param {Node} node @param {Point} point */
  setPending(node, point) {
    this.change({ pending: { node, point } });
    this.askInfo(node);
  }

  /** @param {boolean} resigning whether the next click on Resign resigns */
  setResigning(resigning) {
    this.change({ resigning });
    this.refresh();
  }

  // Pointer, cursor, previews.

  /** Sets the ghost stone of a finger. @param {Point | null} point */
  setAim(point) {
    this.change({ aimed: point, hover: null });
    this.refresh();
  }

  /** @param {Point | null} point @param {State['preview'] | undefined} preview undefined: as before */
  setHover(point, preview) {
    this.change({ hover: point });
    if (preview) this.change({ preview });
    else if (preview === null && this.preview?.from === 'disc') this.change({ preview: null });
    this.refresh();
  }

  /** Shows moves as stones of a line. @param {State['preview']} preview */
  setPreview(preview) {
    this.change({ preview });
    this.refresh();
  }

  /** @param {State['hint']} hint */
  setHint(hint) {
    this.change({ hint });
  }

  /** @param {number | null} i @param {boolean} [visible] */
  setCursor(i, visible = true) {
    this.change({ cursor: visible ? i : null });
    if (i !== null) this.board.moveTabStop(i, false);
    this.refresh();
  }

  /** @param {string} text */
  setTyped(text) {
    this.change({ typed: text });
    this.refresh();
  }

  /** @param {number} ply the numbers on stones start after it */
  setNumbersFrom(ply) {
    this.change({ numbersFrom: ply });
    this.set('numbers', 'from');
  }

  toggleZoom() {
    this.change({ zoomed: !this.zoomed });
    this.refresh();
  }

  /** @param {Point | null} point */
  aimAt(point) {
    this.withPlay((play) => play.aimAt(point));
  }

  /** Moves the ghost stone. @param {number} dc @param {number} dr */
  nudge(dc, dr) {
    this.withPlay((play) => play.nudge(dc, dr));
  }

  /** Marks points of an analysis. @param {string[]} points @param {boolean} bans whether they are not searched @param {boolean} done */
  markArea(points, bans, done) {
    for (const feature of this.features.values()) feature.area?.(points, bans, done);
    this.refresh();
  }

  /** Opens the menu of a point. @param {Point} point */
  pointMenu(point) {
    void this.loaded(this.parts.menus().then((menus) => menus.ofPoint(this, point)));
  }

  /** Opens the menu of a move. @param {Node} node @param {HTMLElement} anchor */
  moveMenu(node, anchor) {
    void this.loaded(this.parts.menus().then((menus) => menus.ofMove(this, node, anchor)));
  }

  /** Runs a typed word: a point, or a command of the field Cursor. @param {string} word */
  command(word) {
    const { shown } = this.game;
    void this.loaded(Promise.all([this.parts.commands(), loadRest()])).then((loaded) => {
      if (loaded && shown === this.game.shown) loaded[0].run(this, word);
    });
  }

  /** Clears typed text, preview, ghost stone and note. Returns whether there was any. */
  clearInput() {
    const had = Boolean(this.typed || this.preview || this.aimed || this.note || this.resigning);
    this.change({ typed: '', preview: null, aimed: null, note: null, resigning: false });
    if (had) this.refresh();
    return had;
  }

  // Commands.

  /** Runs the action of a button or a key. @param {string} act */
  act(act) {
    if (!this.can(act)) return;
    if (act !== 'resign') this.change({ resigning: false });
    if (STEPS[act] || this.feature('room')?.press(act)) return this.step(STEPS[act] ?? 0);
    switch (act) {
      case 'undo':
      case 'redo':
      case 'hint':
      case 'resign':
        return this.withPlay((play) => play[act]());
      case 'swapsides':
        return this.withPlay((play) => play.swapSides());
      case 'retry':
        if (this.outdated) return this.outdated();
        return this.client.needsReload ? location.reload() : this.client.connect();
      case 'theme':
        return this.set('theme', this.isDark() ? 'light' : 'dark');
      case 'chances':
        return this.set('chances', !this.settings.chances);
      case 'again':
        return this.withPlay((play) => void play.newGame({ ...this.game, rule: this.game.course?.rule }));
      case 'review':
      case 'analyse':
      case 'play':
        return void this.setMode(act);
      case 'threats':
        return void Promise.all([this.setMode('analyse'), this.loaded(this.load('threats'))]).then(() => this.run('threats'));
      case 'analysis':
        return void this.setMode('analyse').then(() => this.mode === 'analyse' && this.run('startstop'));
      default:
        if (!this.run(act)) this.open(act);
    }
  }

  /** Runs a command of a loaded feature. Returns whether one has it. @param {string} name */
  run(name) {
    for (const feature of this.features.values()) {
      const command = feature.commands?.[name];
      if (command) return (command(), true);
    }
    return false;
  }

  /** Opens a dialog. @param {string} name @param {any} [argument] */
  open(name, argument) {
    void this.loaded(this.parts.openDialog(this, name, argument), () => this.open(name, argument));
  }

  // The connection.

  /** @param {ConnectionState} state @param {number} retryAt */
  onState(state, retryAt) {
    const before = this.connection;
    this.change({ connection: this.connectionAfter(state, retryAt, this.client.attempts) });
    const { lost } = this.connection;
    if (this.client.isRemote || (state === 'open' && !lost)) this.change({ engineFault: '' });
    if (!this.started) return;
    if (state === 'open') {
      if (before.lost && !lost) this.say(t('conn.back'));
      if (this.note?.text === t('locked.offline')) this.change({ note: null });
      if (this.client.isRemote)
        void this.client.reply({ action: 'query_version' }).then(
          (version) => this.setVersion(version),
          () => {},
        );
      for (const feature of this.features.values()) feature.connected?.();
      this.advance();
    } else {
      if (lost && !before.lost) announce(byId('alert'), this.faultText || t('conn.gone'), true);
      this.clock?.stop();
      if (state === 'unauthorized') this.open('token');
      this.tick();
    }
    this.refresh();
  }

  /** @param {number | null} part */
  onLoading(part) {
    this.change({ loading: part });
    this.refresh();
  }

  /** @param {Reply} version */
  setVersion(version) {
    if (this.version && (version.version !== this.version.version || version.git !== this.version.git))
      this.setOutdated(() => location.reload());
    this.change({ version: this.version ?? version });
    this.refresh();
  }

  /** A new version of the page is there. @param {() => void} begin loads it */
  setOutdated(begin) {
    this.change({ outdated: begin });
    if (this.started) this.say(t('conn.stale'));
    this.refresh();
  }

  /** @param {Reply} reply */
  onNotice(reply) {
    if (reply.code === 'no_engine') this.change({ engineFault: reply.message });
    if (reply.code === 'shutting_down') this.tell(t('conn.closing'));
    else if (reply.type === 'error' && !this.engineFault) this.fail(reply.message ?? reply.code);
    else this.addLog(reply.message ?? reply.type);
  }

  // Settings and language.

  /** @template {keyof Settings} K @param {K} key @param {Settings[K]} value */
  set(key, value) {
    this.settings[key] = value;
    if (!storeItem('local', 'tengen.settings', JSON.stringify(this.settings))) this.tell(t('storage.refused'));
    this.applySettings();
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
    this.translate();
  }

  /** Writes all texts of the page, after a change of language or when a text that was missing is there. */
  translate() {
    writeTexts();
    for (const view of this.views) view.reset();
    for (const feature of this.features.values()) feature.language?.();
    document.title = t('title');
    this.refresh();
  }
}
