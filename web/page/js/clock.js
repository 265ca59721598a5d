//! The clocks of a game. They count only while the page is connected, and the page owns them.

import { other } from './game.js';

/** @typedef {import('./game.js').Side} Side */
/** @typedef {{ first: number, second: number }} Times */

export class Clock {
  /**
   * @param {{ game: import('./game.js').Game, finish: (result: import('./game.js').Result) => void }} app
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

  /** What a side has left, in ms. @param {Side} side */
  left(side) {
    const used = this.running?.side === side ? this.now() - this.running.since : 0;
    return Math.max(0, this.times[side] - used);
  }

  /** @param {Side} side */
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

  /** A side has moved: its time after the move. @param {Side} side @returns {Times} */
  moved(side) {
    this.stop();
    const { kind, base, inc } = this.app.game.clock;
    this.times[side] = kind === 'move' ? base : this.times[side] + inc;
    return { first: Math.round(this.times.first), second: Math.round(this.times.second) };
  }

  /** Goes back to the times of a position. @param {Times | null} times */
  set(times) {
    const { base } = this.app.game.clock;
    this.running = null;
    this.times = { ...(times ?? { first: base, second: base }) };
  }

  /** Ends the game where a flag has fallen. */
  check() {
    const side = this.running?.side;
    if (!side || this.left(side) > 0) return;
    this.stop();
    this.app.finish({ winner: other(side), why: 'time' });
  }
}
