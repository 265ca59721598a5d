//! A game against a friend, in a room of the server. The server has the game: its acts, clocks, wishes and result. This
//! module shows what the server tells, and sends the acts of the user. The rules of an opening are asked as ever.

import { Clock } from '../../app/clock.js';
import { byId, storeItem, storedItem, t } from '../../base/text.js';
import { begin, words } from '../../record/course.js';
import { Game, shapeOf } from '../../record/game.js';
import { playMoves } from '../../record/notation.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../app/parts.js').Choice} Choice */
/** @typedef {import('../../protocol/client.js').Reply} Reply */
/** @typedef {import('../../record/game.js').Seat} Seat */
/** @typedef {'undo' | 'draw' | 'rematch'} Wish */
/** What the browser keeps of a room that it has made; `at`: when the server last told its state, in ms. @typedef {{ own: string, friend: string, watch: string, page: string, qr: string[], at: number }} Links */

/** The key of the rooms that this browser has made, by the secret of those who look on. */
const KEY = 'tengen.rooms';
const DAY_MS = 86_400_000;

/** The rooms that this browser has made. @returns {Record<string, Links>} */
function keptRooms() {
  try {
    return JSON.parse(storedItem('local', KEY) ?? '{}');
  } catch {
    return {};
  }
}

/** Keeps the links of a room for a day from now on. Returns whether the browser could. @param {Links} links */
function keep(links) {
  const recent = Object.entries(keptRooms()).filter(([, { at }]) => Date.now() - at < DAY_MS);
  const rooms = { ...Object.fromEntries(recent), [links.watch]: { ...links, at: Date.now() } };
  return storeItem('local', KEY, JSON.stringify(rooms));
}

/** @param {App} app */
export const mount = (app) => new Room(app);

/** Clocks that the server keeps. */
class ServerClock extends Clock {
  run() {}

  stop() {}

  check() {}

  set() {}

  moved() {
    return { first: Math.round(this.left('first')), second: Math.round(this.left('second')) };
  }

  /** @param {{ first: number, second: number }} times @param {'first' | 'second' | null} side whose clock runs */
  take(times, side) {
    this.times = times;
    this.running = side && { side, since: this.now() };
  }
}

class Room {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The user's secret. */
    this.secret = '';
    /** The game of the page that shows the room; null outside a room. @type {Game | null} */
    this.game = null;
    /** What the server told last, a reply `room`; null before that. @type {any} */
    this.state = null;
    /** The number of the game that the page shows. */
    this.number = 0;
    /** How many acts the server had when the page showed them. */
    this.seen = 0;
    /** The act that is under way: the number of its game and its own. */
    this.sending = '';
    /** The query of the room. @type {string | null} */
    this.id = null;
    /** The end of what is being shown. @type {Promise<void>} */
    this.shown = Promise.resolve();
    const [, name] = /^#room=([\w-]+)/.exec(location.hash) ?? [];
    if (name) {
      // Before the server's word nobody plays.
      app.game.seats = { first: 'friend', second: 'friend' };
      void this.join(keptRooms()[name]?.own ?? name);
      app.client.connect();
    }
  }

  /** Whether the page shows a room. */
  get active() {
    return this.game !== null && this.app.game === this.game;
  }

  /** The links of this room, if this browser has made it. @returns {Links | undefined} */
  get links() {
    return Object.values(keptRooms()).find(({ own }) => own === this.secret);
  }

  /** The user's player, 1 or 2; null for people who look on. @returns {1 | 2 | null} */
  get player() {
    return this.state?.player ?? null;
  }

  /** Makes a room, joins it and shows its links. @param {Record<string, unknown>} terms */
  async make(terms) {
    const { app } = this;
    const page = location.origin + location.pathname;
    const made = await app.client.reply({ action: 'make_room', ...terms, page });
    const { own, friend, watch, qr = [] } = /** @type {Links} */ (/** @type {any} */ (made));
    const isKept = keep({ own, friend, watch, page: made.page ?? page, qr, at: 0 });
    // Who copies the address gives nobody the own seat.
    history.replaceState(null, '', `#room=${isKept ? watch : own}`);
    await this.join(own);
    app.open('room');
  }

  /** Joins a room. Returns when its game is shown. @param {string} secret @returns {Promise<void>} */
  join(secret) {
    const { app } = this;
    Object.assign(this, { secret, state: null, number: 0, seen: 0, sending: '' });
    app.client.cancel(this.id);
    app.client.room = secret;
    return new Promise((resolve) => {
      this.id = app.client.ask({ action: 'join_room', room: secret }, (reply) => void this.take(reply).then(resolve));
    });
  }

  /** Takes the state that the server tells. @param {Reply} reply */
  async take(reply) {
    const { app } = this;
    if (reply.type === 'error') return this.refused(reply);
    const before = this.state;
    this.state = reply;
    if (this.links) keep(this.links);
    this.shown = this.shown.then(() => this.show());
    await this.shown;
    if (reply.ended) this.refused({ field: 'room' });
    const asks = JSON.stringify(reply.asks);
    if (this.active && before && (asks !== JSON.stringify(before.asks) || before.runs !== reply.runs)) app.say(app.statusText());
    app.refresh();
    // On a phone the buttons of a wish can be below the window.
    if (this.active && this.wish(3 - Number(this.player)))
      requestAnimationFrame(() => byId('choices').scrollIntoView({ block: 'nearest' }));
  }

  /** Says why a room cannot be joined, and what to do. @param {{ field?: string | null, code?: string, message?: string }} error */
  refused({ field, code, message = code }) {
    const { app } = this;
    if (field === 'room') app.fail(t('room.gone'), [{ text: t('new'), act: () => app.open('new') }]);
    else if (code === 'too_many') app.fail(t('room.full'), [{ text: t('retry'), act: () => void this.join(this.secret) }]);
    else app.fail(message ?? '');
  }

  /** What the page has: acts of the opening and moves, in the words of the server. */
  acts() {
    const { course, live } = this.app.game;
    if (!course) return live.moves();
    return course.over ? [...words(course), ...live.moves().slice(course.stones)] : words(course);
  }

  /** Shows what the server told last. */
  async show() {
    const { app, state } = this;
    if (!state) return;
    // In another mode the user looks at the game: the page catches up later.
    if (this.active && app.mode !== 'play') return;
    const own = this.active && this.number === state.game ? this.acts() : null;
    const { acts } = state;
    const isEqual = own?.every((act, n) => n >= acts.length || act === acts[n]) && acts.length >= this.seen;
    if (!own || !isEqual || acts.length > own.length + 1) await this.rebuild();
    else if (acts.length === own.length + 1) {
      if (acts.length <= state.opening) await this.rebuild();
      else (await app.loadPlay()).place(app.game.live, acts.at(-1));
    }
    Object.assign(this, { number: state.game, seen: acts.length });
    this.adopt();
  }

  /** The seat of a player on this page. @param {number} player @returns {Seat} */
  seat(player) {
    return player === this.player ? 'you' : 'friend';
  }

  /** Shows the game of the room from its beginning. */
  async rebuild() {
    const { app, state } = this;
    if (!state) return;
    const { variant, board = {}, clock, rule } = state;
    const game = new Game(
      shapeOf(variant, { w: board.width, h: board.height, k: board.connect, gravity: board.gravity, overline: board.overline }),
    );
    game.whiteFirst = state.white_first ?? false;
    game.seats = { first: this.seat(state.first), second: this.seat(3 - state.first) };
    if (clock) game.clock = { kind: clock.per_move ? 'move' : 'game', base: clock.base_ms, inc: clock.inc_ms ?? 0 };
    if (rule) {
      const players = { first: this.seat(state.begins), second: this.seat(3 - state.begins) };
      game.course = begin(rule, players, state.acts.slice(0, state.opening));
    }
    playMoves(game, state.moves);
    Object.assign(this, { game, sending: '' });
    if (app.mode !== 'play') await app.setMode('play');
    await app.useGame(game);
  }

  /** Takes result, seats and clocks of the server. */
  adopt() {
    const { app, state } = this;
    if (!state || !this.active) return;
    const { game } = app;
    const side = (/** @type {number} */ player) => (player === state.first ? 'first' : 'second');
    if (!app.opens) game.seats = { first: this.seat(state.first), second: this.seat(3 - state.first) };
    const { result } = state;
    // The end on the board follows from the position.
    if (result && result.why !== 'board' && !game.result) {
      const why = result.why === 'agreed' ? 'full' : result.why;
      app.setLive(game.live, { winner: result.winner && side(result.winner), why });
      app.say(app.resultText());
    }
    if (state.left_ms) {
      const clock = app.clock instanceof ServerClock ? app.clock : new ServerClock({ game, finish: () => {} });
      const [one, two] = state.first === 1 ? state.left_ms : [...state.left_ms].reverse();
      clock.take({ first: one, second: two }, state.runs ? side(state.decides) : null);
      app.setClock(clock);
    }
    app.advance();
  }

  // What the application calls.

  paint() {
    this.send();
  }

  enter() {
    if (this.app.mode === 'play') this.shown = this.shown.then(() => this.show());
  }

  /** Another game ends the stay in the room. */
  gameChanged() {
    if (!this.game || this.active) return;
    const { app } = this;
    this.game = null;
    this.state = null;
    app.client.cancel(this.id);
    this.id = null;
    app.client.ask({ action: 'room_act', room: this.secret, do: 'leave' }, () => {});
  }

  /** Sends the user's next act. */
  send() {
    const { app, state } = this;
    if (!state || !this.active || app.mode !== 'play' || state.decides !== this.player || app.game.course?.unread.length) return;
    const number = state.acts.length;
    const act = this.acts()[number];
    const name = `${state.game} ${number}`;
    if (!act || this.sending === name || this.seen !== number) return;
    this.sending = name;
    this.ask({ do: 'act', act, game: state.game, number });
  }

  /** Acts in the room. @param {Record<string, unknown>} own */
  ask(own) {
    const { app } = this;
    app.client.ask({ action: 'room_act', room: this.secret, ...own }, (reply) => {
      if (reply.type !== 'error') return void this.take(reply);
      // It has counted before the connection was lost.
      if (reply.field === 'number' || reply.field === 'game') return;
      this.shown = this.shown.then(() => this.rebuild()).then(() => this.adopt());
      void this.shown.then(() => app.fail(reply.message ?? reply.code));
    });
  }

  /** Whether a button may be pressed; undefined: as ever. @param {string} act */
  can(act) {
    const { state } = this;
    if (!this.active || this.app.mode !== 'play' || !state) return undefined;
    const plays = this.player !== null && !state.result;
    if (act === 'undo') return plays && state.acts.length > 0 && !this.wish(this.player);
    if (act === 'resign') return plays;
    return ['hint', 'redo', 'swapsides', 'playfrom'].includes(act) ? false : undefined;
  }

  /** Does what a button says. Returns false if the room has nothing to do with it. @param {string} act */
  press(act) {
    const { app } = this;
    if (!this.active || app.mode !== 'play' || this.player === null) return false;
    if (act === 'undo') this.ask({ do: 'ask', what: 'undo' });
    else if (act === 'again') this.ask({ do: 'ask', what: 'rematch' });
    else if (act !== 'resign') return false;
    else if (app.resigning) {
      app.setResigning(false);
      this.ask({ do: 'resign' });
    } else {
      app.say(t('resign.sure'));
      app.setResigning(true);
    }
    return true;
  }

  /** The wish of a player. @param {number | null} player @returns {Wish | undefined} */
  wish(player) {
    return this.state?.asks.find((/** @type {{ player: number }} */ ask) => ask.player === player)?.what;
  }

  /** Whether the friend has never come. */
  get waits() {
    const { state } = this;
    return state?.player === 1 && !state.here[1] && !state.runs && !state.acts.length && state.game === 1;
  }

  status() {
    const { app, state } = this;
    if (!this.active || !state || this.player === null) return '';
    const theirs = this.wish(3 - this.player);
    if (theirs) return t(`room.asks.${theirs}`);
    if (this.wish(this.player)) return t('room.asked');
    if (state.result) return '';
    if (this.waits) return t('room.waiting');
    if (state.decides === this.player) return app.opens || state.moves.length ? '' : t('status.yours');
    const rule = app.opens ? `${t(`rule.${state.rule}`)}: ` : '';
    return rule + t(state.here[2 - this.player] ? 'room.turn' : 'room.away');
  }

  /** @returns {Choice[]} */
  choices() {
    const { app, state } = this;
    if (!this.active || !state || this.player === null) return [];
    const choice = (/** @type {string} */ text, /** @type {Record<string, unknown>} */ own) => ({
      text: t(text),
      act: () => this.ask(own),
    });
    const [theirs, mine] = [this.wish(3 - this.player), this.wish(this.player)];
    if (theirs) return [choice('room.agree', { do: 'ask', what: theirs }), choice('room.decline', { do: 'decline', what: theirs })];
    if (mine) return [choice('room.withdraw', { do: 'decline', what: mine })];
    if (state.result) return [];
    // A friend who is away may have lost the link.
    const links = this.links && !state.here[2 - this.player] ? [{ text: t('room.links'), act: () => app.open('room') }] : [];
    if (this.waits) return links;
    // In an opening the buttons are its choices.
    return app.opens ? [] : [choice('room.draw', { do: 'ask', what: 'draw' }), ...links];
  }
}
