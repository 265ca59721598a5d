//! Swap2 on the page: texts and buttons of the opening's steps, and queries to the server.

import { t } from './text.js';
import * as swap from './swap2.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./swap2.js').Choice} Choice */

export class Opening {
  /** @param {import('./game.js').Game} game @param {boolean} fresh */
  constructor(game, fresh) {
    this.game = game;
    if (fresh) game.swap = swap.begin(game.seats);
    /** @type {string | null} */
    this.id = null;
  }

  /** The state of the opening, or null when it is over. */
  get state() {
    const { swap: state } = this.game;
    return state && state.step !== 'done' ? state : null;
  }

  /** Whether the user may place a stone now. @param {App} app */
  mayPlace(app) {
    const { state } = this;
    if (!state) return app.game.seats[app.game.live.turn] === 'you';
    return swap.places(state) && swap.actor(state) === 'you';
  }

  /** @param {App} app */
  mayUndo(app) {
    const { state } = this;
    if (state) return swap.places(state) && swap.actor(state) === 'you';
    return app.game.live.ply > 5;
  }

  /** Called after a stone. Returns a text if the next step begins. @param {App} app @returns {string | undefined} */
  placed(app) {
    const { state } = this;
    if (!state) return undefined;
    this.game.swap = swap.placed(state, app.game.live.ply);
    const done = this.game.swap.step !== state.step;
    return done ? this.statusText(app) : undefined;
  }

  /** @param {App} app */
  undone(app) {
    if (this.game.swap) this.game.swap = swap.afterUndo(this.game.swap, app.game.live.ply);
  }

  /** Lets the engine act if it is its turn. Returns whether the opening still runs. @param {App} app */
  advance(app) {
    const { state } = this;
    if (!state) return false;
    if (swap.actor(state) === 'engine' && !this.id) this.ask(app);
    return true;
  }

  /** Asks the engine for its stones or its choice. @param {App} app */
  ask(app) {
    const { game } = app;
    const node = game.live;
    const id = app.client.ask({ ...game.query(node), action: 'swap2', level: game.level }, (reply, last) => {
      if (!last || this.id !== id || app.game !== game || game.live !== node) return;
      this.id = null;
      if (reply.type === 'error') return app.fail(reply.message ?? reply.code, [{ text: t('retry'), act: () => this.ask(app) }]);
      this.handleReply(app, reply);
    });
    this.id = id;
  }

  /** @param {App} app @param {import('./client.js').Reply} reply */
  handleReply(app, reply) {
    const { state } = this;
    if (!state) return;
    const moves = /** @type {string[]} */ (reply.moves ?? []).slice();
    const known = app.game.live.moves();
    const own = moves.slice(known.every((move, n) => moves[n] === move) ? known.length : 0);
    const choice = CHOICES[reply.choice];
    if (swap.chooses(state) && choice) this.choose(app, choice);
    if (swap.places(this.state)) app.withPlay((play) => { for (const move of own) play.place(app.game.live, move); });
    else app.show(app.game.shown);
  }

  /** Applies the choice of the player who chooses now. @param {App} app @param {Choice} choice */
  choose(app, choice) {
    const { state } = this;
    if (!state) return;
    const who = swap.actor(state);
    const { swap: next, seats } = swap.choose(state, choice);
    app.game.swap = next;
    if (seats) app.game.seats = seats;
    const text = t(`swap.${who}.${choice}`);
    app.game.events = [...app.game.events, text];
    app.say(text);
    app.show(app.game.shown);
    void app.save();
  }

  /** @param {App} app */
  statusText(app) {
    const { state } = this;
    if (!state) {
      const last = app.game.events.at(-1);
      return last && app.game.live.ply <= 5 && !app.search ? `${last} ${t('status.turn', { side: app.sideName(app.game.live.turn) })}` : '';
    }
    if (swap.actor(state) === 'engine') return t(`swap.wait.${state.step}`);
    const stones = app.game.live.ply;
    if (!swap.places(state)) return t(`swap.ask.${state.step}`);
    return t('swap.place', { side: app.sideName(app.game.live.turn), n: (state.step === 'three' ? 3 : 5) - stones });
  }

  /** The user's buttons. @param {App} app @returns {import('./main.js').Choice[]} */
  choices(app) {
    const { state } = this;
    if (!state || !swap.chooses(state) || swap.actor(state) !== 'you') return [];
    const names = /** @type {Choice[]} */ (state.step === 'choose' ? ['black', 'white', 'two'] : ['black', 'white']);
    return names.map((name) => ({ text: t(`swap.take.${name}`), act: () => this.choose(app, name) }));
  }
}

/** The server's names of choices, as colours: the first player is black. */
const CHOICES = /** @type {Record<string, Choice>} */ ({ swap: 'black', stay: 'white', two: 'two' });
