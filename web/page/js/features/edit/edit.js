//! Edits of a whole game: rotate, mirror, shift, set up stones, and play a balanced move.

import { request } from '../../app/positions.js';
import { close } from '../../base/dialog.js';
import { el, t } from '../../base/text.js';
import { movedCourse } from '../../record/course.js';
import { Game, moveText, nameAt, nameOf, onBoard, other, pointOf } from '../../record/game.js';
import { ownShare, shareOf } from '../../base/format.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Point} Point */
/** @typedef {import('../../record/game.js').Shape} Shape */
/** @typedef {(point: Point, shape: Shape) => Point} Change */

/** @type {Record<string, Change>} */
const CHANGES = {
  rotate: ({ c, r }, { w }) => ({ c: r, r: w - 1 - c }),
  mirror: ({ c, r }, { w }) => ({ c: w - 1 - c, r }),
  left: ({ c, r }) => ({ c: c - 1, r }),
  right: ({ c, r }) => ({ c: c + 1, r }),
  up: ({ c, r }) => ({ c, r: r + 1 }),
  down: ({ c, r }) => ({ c, r: r - 1 }),
};

/** How many moves are ranked to find the most balanced one. */
const CANDIDATES = 20;

/** The dialog of edits. @param {App} app */
export function content(app) {
  const names = ['rotate', 'mirror', 'left', 'right', 'up', 'down', 'setup', 'balanced'];
  return {
    parts: [
      el(
        'div.choices',
        null,
        ...names.map((name) =>
          el(
            'button',
            {
              type: 'button',
              disabled: app.game.shape.gravity && name !== 'mirror',
              onclick: () => {
                close();
                edit(app, name);
              },
            },
            t(`edit.${name}`),
          ),
        ),
      ),
    ],
  };
}

/** Runs an edit by its name. @param {App} app @param {string} name */
function edit(app, name) {
  if (name === 'balanced') return balanced(app);
  if (name === 'setup') return setUp(app);
  const change = CHANGES[name];
  const changed = change && transformed(app.game, change, name === 'rotate');
  if (!changed) return app.tell(t('edit.no'));
  void app.useGame(changed);
}

/**
 * Returns a copy of the game with every point changed, or null if a stone leaves the board.
 * @param {Game} game @param {Change} change @param {boolean} swapsSides whether width and height change places
 */
export function transformed(game, change, swapsSides) {
  const { shape } = game;
  const next = swapsSides ? { ...shape, w: shape.h, h: shape.w } : shape;
  let fits = true;
  const moved = (/** @type {string} */ name) => {
    const point = pointOf(name, shape);
    const to = point && change(point, shape);
    if (!to || !onBoard(to, next)) fits = false;
    return to ? nameOf(to) : name;
  };
  /** A line ends where it leaves the board. @param {string[]} line */
  const movedLine = (line) => {
    const points = line.map((name) => {
      const point = pointOf(name, shape);
      return point && change(point, shape);
    });
    const out = points.findIndex((point) => !point || !onBoard(point, next));
    return points.slice(0, out < 0 ? undefined : out).flatMap((point) => (point ? [nameOf(point)] : []));
  };
  const result = new Game(next, { first: game.setup.first.map(moved), second: game.setup.second.map(moved), turn: game.root.turn });
  const { seats, level, clock, whiteFirst, extra, said, reviewed } = game;
  Object.assign(result, { seats, level, clock, whiteFirst, extra, said, reviewed, result: game.result });
  // A shifted opening no longer follows its rule.
  const centre = { c: (shape.w - 1) / 2, r: (shape.h - 1) / 2 };
  const stays = change(centre, shape);
  if (stays.c === centre.c && stays.r === centre.r) result.course = movedCourse(game.course, moved);
  const copies = new Map([[game.root, result.root]]);
  const queue = [game.root];
  for (let node = queue.shift(); node; node = queue.shift()) {
    const copy = copies.get(node);
    if (!copy) continue;
    const { comment, mark, flag, share, left, graded, judged } = node;
    Object.assign(copy, { comment, mark, flag, share, left, graded, better: movedLine(node.better) });
    copy.judged = judged && { ...judged, line: movedLine(judged.line) };
    for (const child of node.children) {
      copies.set(child, result.add(copy, moved(child.move)));
      queue.push(child);
    }
  }
  result.live = copies.get(game.live) ?? result.root;
  result.show(copies.get(game.shown) ?? result.root);
  return fits ? result : null;
}

/** Plays the move after which the chances are most equal. @param {App} app */
function balanced(app) {
  const { game } = app;
  const node = game.shown;
  if (!app.mayPlay()) return app.tell(t('locked'));
  app.tell(t('edit.searching'));
  request(
    app,
    node,
    { time_ms: 3000, multi_pv: CANDIDATES, ...app.effort() },
    {
      valid: () => game.shown === node && app.mayPlay(),
      again: () => balanced(app),
      on: (reply, last) => {
        if (!last) return;
        const lines = /** @type {import('../../base/format.js').Line[]} */ (reply.moves ?? []).filter(
          ({ move }) => !node.info?.forbidden.has(move),
        );
        const imbalance = (/** @type {import('../../base/format.js').Line} */ line) => Math.abs((shareOf(line.wdl, 'first') ?? 0) - 500);
        const best = lines.toSorted((a, b) => imbalance(a) - imbalance(b))[0];
        if (!best) return app.fail(t('nomove'));
        app.withPlay((play) => play.place(node, best.move));
        app.tell(t('edit.balanced.done', { move: moveText(best.move), share: Math.round(ownShare(best.wdl) / 10) }));
      },
    },
  );
}

/** The mode that sets up stones: each click changes a point from empty to first player, second player, empty. */
class SetUp {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The game that Cancel restores. @type {Game | null} */
    this.before = null;
    /** The side to move, if the user has chosen one. @type {import('../../record/game.js').Side | null} */
    this.chosen = null;
    this.game = new Game(app.game.shape);
    const stones = app.game.stones(app.game.shown);
    stones.forEach((stone, i) => {
      if (stone) this.game.setup[stone.side].push(nameAt(i, app.game.shape));
    });
  }

  /** @param {Point} point */
  tap(point) {
    const name = nameOf(point);
    const { first, second } = this.game.setup;
    if (first.includes(name)) (first.splice(first.indexOf(name), 1), second.push(name));
    else if (second.includes(name)) second.splice(second.indexOf(name), 1);
    else first.push(name);
    this.app.refresh();
  }

  done() {
    const { app } = this;
    const { first, second } = this.game.setup;
    const game = new Game(this.game.shape, { first, second, turn: this.turn });
    game.seats = { first: 'you', second: 'you' };
    void app.useGame(game);
  }

  /** @returns {import('../../record/game.js').Side} */
  get turn() {
    const { first, second } = this.game.setup;
    return this.chosen ?? (first.length > second.length ? 'second' : 'first');
  }

  show() {
    const { app } = this;
    this.game.root.turn = this.turn;
    app.setEditing(this, this.game);
    app.tell(t('edit.help'), [
      {
        text: t('edit.turn', { side: app.sideName(this.turn) }),
        act: () => {
          this.chosen = other(this.turn);
          this.show();
        },
      },
      { text: t('done'), act: () => this.done() },
      { text: t('cancel'), act: () => this.cancel() },
    ]);
  }

  cancel() {
    if (this.before) void this.app.useGame(this.before);
  }
}

/** @param {App} app */
function setUp(app) {
  void app.setMode('analyse').then(() => {
    const setup = new SetUp(app);
    setup.before = app.game;
    setup.show();
  });
}
