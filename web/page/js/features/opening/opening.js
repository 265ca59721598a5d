//! Swap2 on the page: texts and buttons of the opening's steps, and queries to the server.

import { t } from '../../base/text.js';
import * as swap from '../../record/swap2.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/swap2.js').Choice} Choice */

/** @param {App} app */
export const mount = (app) => new Opening(app);

class Opening {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {string | null} */
    this.id = null;
  }

  /** Starts with a new game. */
  begin() {
    const { game } = this.app;
    game.swap = swap.begin(game.seats);
  }

  gameChanged() {
    this.app.client.cancel(this.id);
    this.id = null;
  }

  /** The state of the opening, or null when it is over. */
  get state() {
    const { swap: state } = this.app.game;
    return state && state.step !== 'done' ? state : null;
  }

  /** Whether the user may place a stone now. */
  mayPlace() {
    const { state } = this;
    return state !== null && swap.places(state) && swap.actor(state) === 'you';
  }

  mayUndo() {
    return this.mayPlace();
  }

  /** Called after a stone. Returns a text if the next step begins. */
  placed() {
    const { state } = this;
    const { game } = this.app;
    if (!state) return '';
    game.swap = swap.placed(state, game.live.ply);
    return game.swap.step !== state.step ? this.status() : '';
  }

  undone() {
    const { game } = this.app;
    if (game.swap) game.swap = swap.afterUndo(game.swap, game.live.ply);
  }

  /** Lets the engine act if it is its turn. */
  advance() {
    const { state } = this;
    if (state && swap.actor(state) === 'engine' && !this.id) this.ask();
  }

  /** Asks the engine for its stones or its choice. */
  ask() {
    const { app } = this;
    const { game } = app;
    const node = game.live;
    this.id = app.request(
      node,
      { action: 'swap2', level: game.level, ...app.effort() },
      {
        valid: (id) => this.id === id && game.live === node,
        again: () => this.ask(),
        failed: () => {
          this.id = null;
        },
        on: (reply, last) => {
          if (!last) return;
          this.id = null;
          this.handleReply(reply);
        },
      },
    );
  }

  /** @param {import('../../protocol/client.js').Reply} reply */
  handleReply(reply) {
    const { app, state } = this;
    if (!state) return;
    const moves = /** @type {string[]} */ (reply.moves ?? []).slice();
    const known = app.game.live.moves();
    const own = moves.slice(known.every((move, n) => moves[n] === move) ? known.length : 0);
    const choice = CHOICES[reply.choice ?? ''];
    if (swap.chooses(state) && choice) this.choose(choice);
    if (swap.places(this.state))
      app.withPlay((play) => {
        for (const move of own) play.place(app.game.live, move);
      });
    else app.show(app.game.shown);
  }

  /** Applies the choice of the player who chooses now. @param {Choice} choice */
  choose(choice) {
    const { app, state } = this;
    if (!state) return;
    const who = swap.actor(state);
    const { swap: next, seats } = swap.choose(state, choice);
    app.game.swap = next;
    if (seats) app.game.seats = seats;
    const text = t(`swap.${who}.${choice}`);
    app.game.events = [...app.game.events, text];
    app.say(text);
    app.show(app.game.shown);
    app.save();
  }

  status() {
    const { app, state } = this;
    const { live, events } = app.game;
    if (!state) {
      const last = events.at(-1);
      return last && live.ply <= 5 && !app.search && !app.over() ? `${last} ${t('status.turn', { side: app.sideName(live.turn) })}` : '';
    }
    if (swap.actor(state) === 'engine') return t(`swap.wait.${state.step}`);
    if (!swap.places(state)) return t(`swap.ask.${state.step}`);
    return t('swap.place', { side: app.sideName(live.turn), n: swap.missing(state, live.ply) });
  }

  /** The user's buttons. @returns {import('../../app/parts.js').Choice[]} */
  choices() {
    const { state } = this;
    if (!state || !swap.chooses(state) || swap.actor(state) !== 'you') return [];
    const names = /** @type {Choice[]} */ (state.step === 'choose' ? ['black', 'white', 'two'] : ['black', 'white']);
    return names.map((name) => ({ text: t(`swap.take.${name}`), act: () => this.choose(name) }));
  }
}

/** The server's names of choices, as colours: the first player is black. */
const CHOICES = /** @type {Record<string, Choice>} */ ({ swap: 'black', stay: 'white', two: 'two' });
