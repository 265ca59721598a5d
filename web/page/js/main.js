//! The page around the application: the registry of features and dialogs, the panel, and the listeners.

import { App } from './app/app.js';
import { clockText, isLow, isNarrow, STATUS_DELAY } from './app/state.js';
import {
  announce,
  byId,
  chooseLanguage,
  drawIcons,
  el,
  hasChanged,
  loadStyle,
  setAttribute,
  setText,
  storedItem,
  svg,
  t,
  whenMissingTexts,
} from './base/text.js';
import { BoardView, SIGNS } from './board/view.js';
import { pageClient } from './protocol/client.js';
import { indexOf, moveText, nameAt } from './record/game.js';

/** @typedef {import('./record/game.js').Side} Side */
/** @typedef {import('./app/parts.js').Mode} Mode */

/** The features: the mode in which they are needed, their styles, their module. @type {import('./app/parts.js').Parts['features']} */
const FEATURES = {
  analysis: {
    mode: 'analyse',
    styles: ['features/analysis/analysis', 'board/marks'],
    load: () => import('./features/analysis/analysis.js'),
  },
  review: { mode: 'review', styles: ['features/review/review', 'board/marks'], load: () => import('./features/review/review.js') },
  moves: { styles: ['features/moves/moves'], load: () => import('./features/moves/move-list.js') },
  chances: { styles: ['features/chances/chances'], load: () => import('./features/chances/graph.js') },
  comment: { styles: ['features/comment/comment'], load: () => import('./features/comment/comment.js') },
  threats: { load: () => import('./features/threats/threats.js') },
  opening: { styles: ['features/opening/opening'], load: () => import('./features/opening/opening.js') },
  folds: { styles: ['features/folds/folds'], load: () => import('./features/folds/folds.js') },
  ending: { styles: ['features/ending/ending'], load: () => import('./features/ending/ending.js') },
};

/** Features of which nothing is loaded before somebody opens them. @type {import('./app/parts.js').Parts['features']} */
const ON_DEMAND = {
  welcome: { styles: ['features/welcome/welcome'], load: () => import('./features/welcome/welcome.js') },
  room: { styles: ['features/room/room'], load: () => import('./features/room/room.js') },
  explorer: { styles: ['features/analysis/analysis', 'features/explorer/explorer'], load: () => import('./features/explorer/explorer.js') },
};

/** Features that stand below the players when there is a move. */
const PARTS = ['moves', 'chances', 'comment', 'ending', 'folds'];

/** When the page begins to load the rest, in ms after its start. */
const REST_DELAY = 1000;

/** The panel beside the board: players, status, buttons, connection, and the bar of chances. Draws only what has changed. */
class Panel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The data of each part, as text, when it was drawn. @type {Map<string, string>} */
    this.drawn = new Map();
    this.hasParts = false;
    for (const [act, name] of Object.entries({ undo: 'undo', hint: 'bulb', back: 'back', forward: 'forward', more: 'more' })) {
      byId('bottom').append(el('button', { 'data-act': act, 'data-icon': name }, el('span', { 'data-t': act })));
    }
    drawIcons();
  }

  /** Makes the next `paint` draw everything, such as after a change of language. */
  reset() {
    this.drawn.clear();
  }

  paint() {
    const { app } = this;
    this.paintBoard();
    this.paintHeader();
    this.paintPlayers();
    setText(byId('status'), app.statusText());
    const choices = app.choices();
    if (
      hasChanged(
        this.drawn,
        'choices',
        choices.map((choice) => choice.text),
      )
    ) {
      byId('choices').replaceChildren(
        ...choices.map(
          (choice, n) => choice.build?.() ?? el('button', { type: 'button', onclick: () => app.choices()[n]?.act() }, choice.text),
        ),
      );
    }
    if (app.game.root.children.length || app.mode !== 'play') this.loadParts();
    this.paintActions();
    this.paintConnection();
    const legend = app.legend();
    if (hasChanged(this.drawn, 'legend', legend)) {
      byId('legend').replaceChildren(...legend.map(([sign, text]) => el('span', null, el(`i.sign.${sign}`), text)));
    }
  }

  /** Loads what stands below the players, once. */
  loadParts() {
    if (this.hasParts) return;
    this.hasParts = true;
    const load = () => void this.app.loaded(Promise.all(PARTS.map((name) => this.app.load(name))), load);
    load();
  }

  paintBoard() {
    const { app } = this;
    app.board.setShape(app.game.shape);
    app.board.paint(app.scene());
    const at = app.cursor ?? (app.hover ? indexOf(app.hover, app.game.shape) : null);
    /** @type {HTMLInputElement} */ (byId('point')).placeholder = at === null ? '' : moveText(nameAt(at, app.game.shape));
  }

  paintHeader() {
    const { app } = this;
    const { variant, w, h, k } = app.game.shape;
    const rule = variant === 'custom' ? t('inrow', { k }) : variant === 'gomoku' && t('exact');
    const more =
      app.mode === 'play' ? !isNarrow() && app.clockWords() : t('move.of', { at: app.game.shown.ply, all: app.game.line().length - 1 });
    setText(byId('game'), t(`v.${variant}`));
    setText(byId('about'), [app.mode !== 'play' && app.recordNames(), `${w} × ${h}`, rule, more].filter(Boolean).join(' · '));
  }

  paintPlayers() {
    const { app } = this;
    for (const side of /** @type {Side[]} */ (['first', 'second'])) {
      const card = byId(side);
      const turn = app.game.shown.turn === side && !app.over();
      const left = app.clockLeft(side);
      const low = left !== null && isLow(left, app.game.clock.base);
      card.classList.toggle('turn', turn);
      card.classList.toggle('won', app.over()?.winner === side);
      const { hasSigns } = app.board;
      if (hasChanged(this.drawn, side, [app.colour(side), hasSigns]))
        card.querySelector('.coin')?.replaceWith(coin(app.colour(side), hasSigns));
      setText(/** @type {Element} */ (card.querySelector('b')), app.playerName(side));
      setText(/** @type {Element} */ (card.querySelector('small')), app.playerNote(side, turn));
      const clock = /** @type {HTMLElement} */ (card.querySelector('output'));
      clock.hidden = left === null;
      clock.classList.toggle('low', low);
      if (left !== null) setText(clock, `${clockText(left)}${low ? ` ${t(left <= 0 ? 'clock.fallen' : 'clock.low')}` : ''}`);
    }
  }

  paintActions() {
    const { app } = this;
    for (const button of document.querySelectorAll('[data-act]')) {
      const act = /** @type {HTMLElement} */ (button).dataset.act ?? '';
      /** @type {HTMLButtonElement} */ (button).disabled = !app.can(act);
    }
    if (hasChanged(this.drawn, 'actions', app.resigning)) {
      for (const label of document.querySelectorAll('[data-act=resign] span')) setText(label, t(app.resigning ? 'resign.sure' : 'resign'));
    }
    for (const tab of document.querySelectorAll('[data-mode]')) {
      if (tab instanceof HTMLButtonElement) setAttribute(tab, 'aria-pressed', tab.dataset.mode === app.mode);
    }
    const { seats } = app.game;
    byId('replay').hidden =
      !app.can('playfrom') ||
      (app.mode === 'play' && seats.first !== seats.second) ||
      app.game.root.children.length + Number(app.game.hasSetup) === 0;
  }

  paintConnection() {
    const { app } = this;
    const dot = byId('connection');
    dot.dataset.state = app.connection.state;
    const where = app.connection.state === 'open' && !app.client.isRemote ? 'page' : app.connection.state;
    setText(/** @type {Element} */ (dot.lastElementChild), t(`conn.${where}`));
    const banner = byId('banner');
    const text = app.bannerText();
    banner.hidden = !text;
    setText(byId('bannertext'), text);
  }
}

/** The signs on coins that stand beside the colour. @type {Record<string, string>} */
const COINS = { r: 'M-7.5 0a7.5 7.5 0 1 0 15 0a7.5 7.5 0 1 0 -15 0', y: 'M0 -7L7 0L0 7L-7 0Z' };

/** Draws the stone beside a player's name. @param {string} colour @param {boolean} hasSigns */
function coin(colour, hasSigns) {
  const d = hasSigns ? SIGNS[colour === 'b' ? 0 : 1] : COINS[colour];
  const kind = `coin stone ${colour}${hasSigns ? ' marked' : ''}`;
  return svg(
    'svg',
    { class: kind, viewBox: '-14 -14 28 28', 'aria-hidden': 'true' },
    svg('circle', { class: 'disk', r: 13 }),
    d && svg('path', { class: 'sign', d }),
  );
}

/** @param {App} app */
function listenPage(app) {
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (button?.dataset.act) app.act(button.dataset.act);
    else if (button?.dataset.mode) void app.setMode(/** @type {Mode} */ (button.dataset.mode));
  });
  const wake = () => {
    if (!document.hidden) {
      app.client.wake();
      app.refresh();
    }
  };
  for (const kind of ['visibilitychange', 'online', 'pageshow']) addEventListener(kind, wake);
  addEventListener('resize', () => app.refresh());
  matchMedia('(prefers-color-scheme: dark)').onchange = () => app.applySettings();
  addEventListener('hashchange', (event) => void app.loaded(app.loadAutosave()).then((saver) => saver?.openLink(event.newURL)));
  addEventListener('storage', (event) => void app.loaded(app.loadAutosave()).then((saver) => saver?.otherTab(event)));
  for (const kind of ['pointermove', 'pointerdown', 'keydown', 'focusin', 'dragenter'])
    addEventListener(kind, () => preload(app), { once: true, capture: true });
  byId('entry').onsubmit = () => {
    const field = /** @type {HTMLInputElement} */ (byId('point'));
    app.command(field.value);
    field.value = '';
    return false;
  };
}

/** Loads the modules for playing, at the first user input. @param {App} app */
function preload(app) {
  app.client.warm();
  void app.loaded(app.loadPlay());
}

/** The events of mouse and touch that the board handles. */
const POINTER_EVENTS = ['pointerdown', 'pointermove', 'pointerup', 'pointercancel', 'pointerleave', 'contextmenu', 'wheel', 'touchmove'];

/** Listens to mouse and touch. An event that comes before `pointer.js` counts only for the position that was seen. @param {App} app */
function listenPointer(app) {
  /** @type {import('./board/pointer.js').Pointer | null} */
  let pointer = null;
  /** @type {{ event: Event, shown: unknown }[]} */
  let queued = [];
  const load = async () => {
    const { Pointer } = await import('./board/pointer.js');
    pointer ??= new Pointer(app);
    const [all, { shown }] = [queued, app.game];
    queued = [];
    for (const entry of all) if (entry.shown === shown) pointer.handle(entry.event);
    if (all.some((entry) => entry.shown !== shown && entry.event.type === 'pointerup')) app.tell(t('click.stale'));
  };
  const handle = (/** @type {Event} */ event) => {
    if (event.type === 'contextmenu') event.preventDefault();
    if (/** @type {PointerEvent} */ (event).pointerType === 'touch') void app.loaded(loadConfirm(app));
    if (pointer) return pointer.handle(event);
    queued.push({ event, shown: app.game.shown });
    void app.loaded(load()).then(() => {
      if (!pointer) queued = [];
    });
  };
  for (const kind of POINTER_EVENTS) app.board.box.addEventListener(kind, handle, { passive: false });
}

/** Listens to keys. `keys.js` is loaded at the first key or focus. @param {App} app */
function listenKeys(app) {
  const { grid } = app.board;
  /** @type {typeof import('./board/keys.js') | null} */
  let keys = null;
  const load = async () => (keys ??= await import('./board/keys.js'));
  /** The keys that wait for the module. Later keys wait too, and all for one promise, so that they keep their order. */
  let waiting = 0;
  /** @type {Promise<typeof import('./board/keys.js') | null>} */
  let ready;
  /** Handles a key when the module is there, unless another position is shown by then. @param {'boardKey' | 'globalKey'} name @param {KeyboardEvent} event */
  const later = (name, event) => {
    const { shown } = app.game;
    if (!waiting++) ready = app.loaded(load());
    void ready.then((loaded) => {
      waiting--;
      if (shown === app.game.shown) loaded?.[name](app, event);
    });
  };
  grid.addEventListener('keydown', (event) => {
    if (!app.settings.keys && !/^(Arrow|Enter| )/.test(event.key)) return;
    if (event.key === 'Tab') return;
    if (!keys || waiting) later('boardKey', event);
    else if (keys.boardKey(app, event)) event.preventDefault();
    else return;
    event.stopPropagation();
  });
  grid.addEventListener('focusin', (event) => {
    void app.loaded(load());
    const i = app.board.indexOfCell(event.target);
    if (i >= 0) app.setCursor(i, grid.querySelector(':focus-visible') !== null);
  });
  grid.addEventListener('focusout', () => app.setCursor(null));
  document.addEventListener('keydown', (event) => {
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    if (target.matches('input, select, textarea') || target.closest('dialog, .menu') || !app.settings.keys) return;
    if (!keys || waiting) later('globalKey', event);
    else if (keys.globalKey(app, event)) event.preventDefault();
  });
}

/** Loads the tabs of a narrow page. */
const loadTabs = once(async (own) => addView(own, new (await import('./app/tabs.js')).Tabs(own)));

/** Loads the bar that confirms a stone, on a touch screen or at the first touch. */
const loadConfirm = once(async (own) => {
  const [confirm] = await Promise.all([import('./board/confirm.js'), loadStyle('board/marks')]);
  addView(own, new confirm.ConfirmBar(own));
});

/** @param {App} app @param {App['views'][number]} view */
function addView(app, view) {
  app.views.push(view);
  app.refresh();
}

/** Adds the files of the page that are not needed at first, so that they are there without a server. @param {App} app */
async function loadEverything(app) {
  const later = await import('./later.js');
  await Promise.all([loadTabs(app), later.loadEverything(app, FEATURES)]);
  performance.mark('tengen.complete');
}

/** Loads the language, then the game of the link or the last game. @param {App} app */
async function start(app) {
  const saver = location.hash.length > 1 || storedItem('local', 'tengen.current') ? app.loadAutosave() : null;
  whenMissingTexts(() => app.translate());
  await app.useLanguage(chooseLanguage(app.settings.language, navigator.languages));
  app.applySettings();
  listenPointer(app);
  listenKeys(app);
  if (matchMedia('(pointer: coarse)').matches) void app.loaded(loadConfirm(app));
  if (isNarrow()) void app.loaded(loadTabs(app));
  listenPage(app);
  await (location.hash.startsWith('#room=') ? app.load('room') : (await saver)?.restore());
  app.begin();
  const [begin, game] = ['start', 'current'].map((key) => storedItem('local', `tengen.${key}`));
  if (/^(#token=.*)?$/.test(location.hash) && begin !== 'play' && (begin || !game))
    void app.loaded(app.load('welcome')).then((one) => one?.begin());
  setTimeout(() => app.refresh(), STATUS_DELAY + 50);
  performance.mark('tengen.started');
  const whenIdle = globalThis.requestIdleCallback ?? setTimeout;
  setTimeout(() => whenIdle(() => void loadEverything(app).catch(() => {})), REST_DELAY);
}

/** Says that the page is not complete. The texts may be what is missing. @param {unknown} error */
function failStart(error) {
  const text = `A part of the page did not load: ${error instanceof Error ? error.message : error}`;
  announce(byId('alert'), text);
  setText(byId('status'), text);
  byId('choices').replaceChildren(el('button', { type: 'button', onclick: () => location.reload() }, 'Reload'));
}

/**
 * Returns a function that loads something once; after a failure it loads again.
 * @template T @param {(app: App) => Promise<T>} load @returns {(app: App) => Promise<T>}
 */
function once(load) {
  /** @type {Promise<T> | null} */
  let loading = null;
  return (app) => {
    loading ??= load(app);
    loading.catch(() => (loading = null));
    return loading;
  };
}

const app = new App({
  client: /** @type {import('./protocol/client.js').Client} */ (pageClient),
  board: new BoardView(byId('board'), () => import('./board/marks.js')),
  features: { ...FEATURES, ...ON_DEMAND },
  openDialog: async (own, name, argument) => (await import('./later.js')).openDialog(own, name, argument),
  loadPlay: once(async (own) => new (await import('./app/play.js')).Play(own)),
  loadSaver: once(async (own) => new (await import('./app/autosave.js')).Saver(own)),
  menus: () => import('./app/menus.js'),
  commands: () => import('./app/commands.js'),
});
app.views.push(new Panel(app));
// A site can tell it before the page has started.
addEventListener('tengen-update', (event) => app.setOutdated(/** @type {CustomEvent} */ (event).detail));
void start(app).catch(failStart);
