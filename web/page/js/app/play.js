//! Playing: the user's moves, the engine's moves, undo, hint, result. Loaded at the first user input.

import { annotate, remove, request } from './positions.js';
import { shareOf } from '../base/format.js';
import { t } from '../base/text.js';
import { Game, indexOf, moveText, nameOf, onBoard, other } from '../record/game.js';
import { Clock } from './clock.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../record/game.js').Node} Node */
/** @typedef {import('../record/game.js').Side} Side */
/** @typedef {import('../record/game.js').Point} Point */
/** @typedef {import('../protocol/client.js').Reply} Reply */

/** Time for a hint, in ms. */
const HINT_MS = 1000;
/** The shortest time of a move when the engine plays both sides, in ms. */
const PACE = { fast: 0, normal: 800, slow: 2000 };
/** The part of the time for each move that the engine may use. */
const MOVE_PART = 0.9;
/** How long a phone vibrates when a stone is placed, in ms. */
const VIBRATION_MS = 15;
/** A move that loses this much of the expected score, in per mille, is doubtful. */
const DOUBTFUL = 100;
/** Nodes of each search for a warning. */
const WARN_NODES = 50_000;

export class Play {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {string | undefined} */
    this.hintId = undefined;
    /** Called once after the engine's next move. @type {(() => void) | null} */
    this.afterAnswer = null;
  }

  /** The button that asks again after an error. @returns {import('./parts.js').Choice[]} */
  retryChoices() {
    return [{ text: t('retry'), act: () => this.app.show(this.app.game.shown) }];
  }

  /** Ends the engine's search and drops a warning. A late answer changes nothing. */
  stop() {
    this.afterAnswer = null;
    this.endSearch();
  }

  endSearch() {
    this.app.setSearch(null);
  }

  /** Handles a click on a point. @param {Point} point */
  tap(point) {
    const { app } = this;
    if (app.editing) return app.editing.tap(point);
    const node = app.game.shown;
    const target = app.game.target(node, point);
    if (!app.mayPlay()) return this.tellLocked();
    if (!target) return app.tell(t('typed.taken', { move: moveText(app.game.shape.gravity ? nameOf(point).slice(0, 1) : nameOf(point)) }));
    // Only the engine knows forbidden points, and a stone there would lose the game.
    if (!node.info && app.game.shape.variant === 'renju') return app.setPending(node, point);
    const move = nameOf(target);
    const why = node.info?.forbidden.get(move);
    app.setAim(null);
    if (why) return app.tell(t('forbidden', { move: moveText(move), why: t(`why.${why}`) }));
    if (app.opens && app.mode === 'play') return app.feature('opening').tap(move);
    this.place(node, move);
    if (app.settings.warn && app.mode === 'play') void this.warn(node);
  }

  /** Says why a click on the board does nothing. */
  tellLocked() {
    const { app } = this;
    if (app.over()) return app.say(app.resultText(), true);
    if (app.connection.state !== 'open') return app.tell(t('locked.offline'));
    if (app.game.shown !== app.game.live) return app.say(app.statusText(), true);
    app.say(t('locked'), true);
  }

  /** Places a stone of the user or the engine. @param {Node} node @param {string} move */
  place(node, move) {
    const { app } = this;
    const { game } = app;
    app.board.animate = true;
    const child = game.add(node, move);
    if (app.mode === 'play') {
      child.left = app.clock?.moved(node.turn) ?? null;
      app.setLive(child);
      // A game that goes on has no result yet.
      game.said = null;
      game.promote(child);
    }
    game.show(child);
    const opening = app.opens && app.feature('opening').placed();
    app.show(child);
    app.say(opening || t('status.last', { side: app.sideName(child.side), move: moveText(move) }));
    app.save();
    if (app.settings.vibrate) navigator.vibrate?.(VIBRATION_MS);
    if (app.settings.sounds)
      void import('./sound.js').then(
        (sound) => sound.click(),
        () => {},
      );
    return child;
  }

  /** Continues a game: the opening, the clock, the engine's move. */
  advance() {
    const { app } = this;
    const { game } = app;
    const node = game.live;
    if (app.opens) return app.feature('opening')?.advance();
    if (game.clock.kind !== 'none') this.runClock(node.turn);
    if (game.seats[node.turn] === 'engine' && app.search?.node !== node) this.search(node);
  }

  /** Asks for the engine's move. @param {Node} node */
  search(node) {
    const { app } = this;
    const { game } = app;
    this.endSearch();
    const id = request(
      app,
      node,
      { level: game.level, ...app.effort(), ...this.limits(node) },
      {
        valid: (own) => app.search?.id === own && game.live === node,
        again: () => app.show(game.shown),
        failed: () => app.setSearch(null),
        on: (reply, last) => {
          if (!last) return;
          const { first, second } = game.seats;
          const wait = first === second ? PACE[app.settings.pace] - (performance.now() - (app.search?.since ?? 0)) : 0;
          const place = () => {
            if (app.search?.id !== id || app.game !== game) return;
            app.setSearch(null);
            this.onAnswer(node, reply);
          };
          if (wait > 0) setTimeout(place, wait);
          else place();
        },
      },
    );
    app.setSearch({ id, node, since: performance.now() });
  }

  /** Returns the limits of the engine's search. @param {Node} node */
  limits(node) {
    const { game } = this.app;
    const own = this.app.clockLeft(node.turn);
    if (own === null) return game.level === 10 ? { time_ms: this.app.settings.moveTime } : {};
    const whole = (/** @type {number} */ ms) => Math.max(1, Math.round(ms));
    if (game.clock.kind === 'move') return { time_ms: whole(own * MOVE_PART) };
    const others = this.app.clockLeft(other(node.turn)) ?? own;
    return { clock: { left_ms: whole(own), inc_ms: game.clock.inc, opponent_left_ms: whole(others) } };
  }

  /** Handles the last reply of the engine's search. @param {Node} node @param {Reply} reply */
  onAnswer(node, reply) {
    const { app } = this;
    if (reply.ended_by === 'drain') return;
    if (!reply.best) return app.fail(t('nomove'), this.retryChoices());
    const share = shareOf(reply.wdl, node.turn) ?? node.share;
    annotate(app, node, { share }, false);
    const child = this.place(node, String(reply.best));
    annotate(app, child, { share: child.share ?? share }, false);
    this.afterAnswer?.();
    this.afterAnswer = null;
  }

  /** Runs the clock of a side. @param {Side} side */
  runClock(side) {
    const { app } = this;
    if (app.game.live.turn !== side || app.mode !== 'play' || app.connection.state !== 'open' || app.game.result) return;
    const clock = app.clock ?? new Clock({ game: app.game, finish: (result) => this.finish(result) });
    clock.run(side);
    app.setClock(clock);
  }

  /** Ends the game. @param {import('../record/game.js').Result} result */
  finish(result) {
    const { app } = this;
    this.stop();
    app.clock?.stop();
    app.setLive(app.game.live, result);
    app.say(app.resultText());
    app.save();
    app.refresh();
  }

  /** Returns the position to which an undo leads, the last turn or act of the user; null if there is none. */
  undoTarget() {
    const { app } = this;
    const { game } = app;
    const { seats, live } = game;
    const first = app.opens ? Infinity : (game.course?.stones ?? 0);
    for (let node = live.parent; node && node.ply >= first; node = node.parent) if (seats[node.turn] === 'you') return node;
    return game.course && app.feature('opening')?.undoTarget();
  }

  undo() {
    if (this.app.mode !== 'play') return this.app.step(-1);
    const { course, live } = this.app.game;
    const node = this.undoTarget();
    if (!node) return;
    if (course && (this.app.opens || node === live || node.ply < course.stones)) this.app.feature('opening').undo();
    else this.playOn(node);
  }

  redo() {
    const { game, mode } = this.app;
    if (mode !== 'play') return this.app.step(1);
    let node = game.live.next();
    while (node?.next() && game.seats[node.turn] === 'engine') node = node.next();
    if (node) this.playOn(node);
  }

  /** Continues the game from a position. @param {Node} node @param {Game['seats']} [seats] who plays now @param {number} [level] */
  playOn(node, seats, level = this.app.game.level) {
    const { app } = this;
    this.stop();
    app.setLive(node);
    if (seats) {
      const { course } = app.game;
      const isOver = course?.over && node.ply >= course.stones;
      Object.assign(app.game, { seats, level, course: isOver ? course : null });
    }
    app.clock?.set(node.left);
    app.game.show(node);
    app.show(node);
    app.say(app.statusText());
    app.save();
  }

  /** Shows a hint: first the point, then the line. */
  hint() {
    const { app } = this;
    const { game, hint } = app;
    const node = game.shown;
    if (hint?.node === node) {
      const line = hint.line.slice(0, 10);
      app.setPreview({ moves: line, kind: 'best', from: 'hint' });
      return app.tell(t('hint.line', { line: line.map(moveText).join(' ') }));
    }
    app.client.cancel(this.hintId);
    app.tell(t('hint.wait'));
    this.hintId = request(
      app,
      node,
      { ...app.effort(), time_ms: HINT_MS },
      {
        valid: () => game.shown === node,
        again: () => this.hint(),
        on: (reply, last) => {
          if (!last) return;
          if (!reply.best) return app.fail(t('nomove'));
          app.setHint({ node, move: reply.best, line: reply.pv ?? [reply.best] });
          app.tell(t('hint.point', { move: moveText(reply.best) }));
        },
      },
    );
  }

  /** Warns about a bad move without showing a better one. @param {Node} node the position before it */
  async warn(node) {
    const { app } = this;
    const { game } = app;
    const child = game.live;
    const share = async (/** @type {Node} */ at) => {
      const reply = await app.client.reply({ ...game.query(at), nodes: WARN_NODES });
      return reply.outcome ? null : shareOf(reply.wdl, at.turn === node.turn ? 'first' : 'second');
    };
    const [before, after] = await Promise.all([share(node), share(child)]).catch(() => [null, null]);
    if (app.game !== game || before == null || after == null || before - after < DOUBTFUL) return;
    const say = () =>
      app.tell(t('warn.move', { move: moveText(child.move), share: Math.round((before - after) / 10) }), [
        { text: t('warn.back'), act: () => this.playOn(node) },
      ]);
    // The engine's move clears the status, so the warning waits for it, even if the search has not started yet.
    if (game.live === child && game.seats[child.turn] === 'engine' && !game.result) this.afterAnswer = say;
    else say();
  }

  /** Resigns at the second click; the first one asks. */
  resign() {
    const { app } = this;
    if (!app.resigning) {
      app.say(t('resign.sure'));
      return app.setResigning(true);
    }
    app.setResigning(false);
    const { seats, live } = app.game;
    const loser = seats[live.turn] === 'you' ? live.turn : other(live.turn);
    app.goTo(live);
    this.finish({ winner: other(loser), why: 'resign' });
  }

  swapSides() {
    const { app } = this;
    const { seats } = app.game;
    this.stop();
    Object.assign(app.game, { seats: { first: seats.second, second: seats.first } });
    app.show(app.game.live);
    app.save();
  }

  /**
   * Starts a game with the rules, seats and clock of another one.
   * @param {Pick<Game, 'shape' | 'seats' | 'level' | 'clock' | 'whiteFirst'> & { rule?: string }} like
   */
  newGame(like) {
    const game = new Game(like.shape);
    Object.assign(game, { seats: { ...like.seats }, level: like.level, clock: like.clock, whiteFirst: like.whiteFirst });
    return this.app.useGame(game, { rule: like.rule, undo: this.app.game.root.children.length ? t('new.done') : '' });
  }

  /** Sets or moves the ghost stone; null removes it. @param {Point | null} point */
  aimAt(point) {
    const { app } = this;
    const { game, aimed } = app;
    if (point && !app.mayPlay()) return;
    const target = point && game.target(game.shown, point);
    if (target && aimed && indexOf(target, game.shape) === indexOf(aimed, game.shape)) return this.tap(target);
    // A tap on a point that is not allowed says why.
    if (target && (game.shown.info?.forbidden.has(nameOf(target)) || (app.opens && app.feature('opening').reason(nameOf(target)))))
      return this.tap(target);
    if (point && !target) return app.tell(t('typed.taken', { move: moveText(nameOf(point)) }));
    app.setAim(target);
    if (target) app.say(t('place.ghost', { move: moveText(nameOf(target)) }), true);
  }

  /** Moves the ghost stone by some columns and rows. @param {number} dc @param {number} dr */
  nudge(dc, dr) {
    const { app } = this;
    const { w, h } = app.game.shape;
    const from = app.aimed ?? { c: Math.floor(w / 2), r: Math.floor(h / 2) };
    const point = { c: from.c + dc, r: from.r + dr };
    if (!onBoard(point, app.game.shape)) return;
    app.setAim(point);
    app.say(t('place.ghost', { move: moveText(nameOf(point)) }), true);
  }

  /** Takes back a move that the engine refuses. @param {Node} node @param {Reply} reply */
  onRefusal(node, reply) {
    const { app } = this;
    if (!node.parent || !/^(bad_move|bad_position)$/.test(reply.code)) return app.fail(reply.message ?? reply.code, this.retryChoices());
    this.stop();
    remove(app, node);
    app.fail(t('refused', { move: moveText(node.move), why: reply.message ?? reply.code }));
  }
}
