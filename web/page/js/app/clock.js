//! The clocks of a game. The page keeps them, not the engine. They run only while the page is connected.

import { other } from '../record/game.js';

/** @typedef {import('../record/game.js').Side} Side */
/** @typedef {{ first: number, second: number }} Times */

export class Clock {
  /**
   * @param {{ game: import('../record/game.js').Game, finish: (result: import('../record/game.js').Result) => void }} app
   * @param {() => number} [now]
   */
  constructor(app, now = () => performance.now()) {
    this.app = app;
    this.now = now;
    const { base } = app.game.clock;
    /** @type {Times} */
    this.times = { ...(app.game.live.left ?? { first: base, second: base }) };
    /** @type {{ side: Side, since: number } | null} */
    this.running = null;
  }

  /** Returns the time that a side has left, in ms. @param {Side} side */
  left(side) {
    const used = this.running?.side === side ? this.now() - this.running.since : 0;
    return Math.max(0, this.times[side] - used);
  }

  /** Runs the clock of a side and stops the other one. @param {Side} side */
  run(side) {
    if (this.running?.side === side) return;
    this.stop();
    this.running = { side, since: this.now() };
  }

  stop() {
    const { running } = this;
    if (running) this.times[running.side] = this.left(running.side);
    this.running = null;
  }

  /** Stops the clock of a side that has moved. Returns the times after the move, in ms. @param {Side} side @returns {Times} */
  moved(side) {
    this.stop();
    const { kind, base, inc } = this.app.game.clock;
    this.times[side] = kind === 'move' ? base : this.times[side] + inc;
    return { first: Math.round(this.times.first), second: Math.round(this.times.second) };
  }

  /** Sets the times of a position, such as after an undo; null: the start of the game. @param {Times | null} times */
  set(times) {
    const { base } = this.app.game.clock;
    this.running = null;
    this.times = { ...(times ?? { first: base, second: base }) };
  }

  /** Ends the game if the running clock has no time left. */
  check() {
    const side = this.running?.side;
    if (!side || this.left(side) > 0) return;
    this.stop();
    this.app.finish({ winner: other(side), why: 'time' });
  }
}
