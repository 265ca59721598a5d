//! The trainer of a repertoire: the page plays one side as a tree does, by the number of its lines, and asks for the moves of the
//! other side. The cards of "My mistakes" ask them again.

import { annotate } from '../../app/positions.js';
import { t } from '../../base/text.js';
import { Game } from '../../record/game.js';
import { Tree } from '../../record/tree.js';
import * as store from './store.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */
/** @typedef {import('../../record/game.js').Side} Side */
/** What a source plays in a position, the most frequent moves first, and what is said about it. `isOwn`: whether the repertoire has the move @typedef {{ comment: string, moves: { moves: string[], lines: number, isOwn: boolean }[] }} Known */
/** What is trained: the side of the user, a game with the board, the moves before the line, and the source of the moves. @typedef {{ side: Side, board: Game, from: string[], at: (game: Game, node: Node) => Promise<Known> }} Course */
/** A line that is trained. `at`: the position that is asked or answered; `asked`, `known`: how many moves were asked, and known at once @typedef {{ course: Course, game: Game, at: Node, asked: number, known: number }} Run */

/** The nodes of the search that judges a move outside of the repertoire. */
const NODES = 250_000;
/** The time before the page answers, in ms. */
const PACE_MS = 400;
/** The shelf's moves of fewer games are no repertoire, unless they stand in a tree. */
const LEAST_GAMES = 3;
/** A move of the shelf is one of the repertoire from this part of the games on. */
const LEAST_PART = 0.1;

/** The tree of a record as a source. @param {Game} record @param {Side} side @returns {Course} */
export function treeCourse(record, side) {
  const tree = Tree.of(record);
  return {
    side,
    board: record,
    from: [],
    at: async (game, node) => ({
      comment: [...new Set(tree.nodesAt(game, node).map(({ comment }) => comment))].filter(Boolean).join('\n'),
      moves: tree.continuations(game, node).map((one) => ({ ...one, isOwn: true })),
    }),
  };
}

/** The moves of the server's shelf as a source, from the position shown on. @param {App} app @param {Side} side @returns {Course} */
export function shelfCourse(app, side) {
  return {
    side,
    board: app.game,
    from: app.game.shown.moves(),
    at: async (asked, node) => {
      const reply = await app.client.reply({ ...asked.query(node), action: 'explore', limit: 0 });
      const { games, label, comments, moves } = /** @type {any} */ (reply);
      return {
        comment: [label, ...comments].filter(Boolean).join('\n'),
        moves: moves
          .filter((/** @type {any} */ one) => one.tree || one.games >= LEAST_GAMES)
          .map((/** @type {any} */ one) => ({
            moves: [one.move],
            lines: Math.max(1, one.games),
            isOwn: one.tree || one.games >= games * LEAST_PART,
          })),
      };
    },
  };
}

/** @param {App} app */
export const mount = (app) => new Repertoire(app);

class Repertoire {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Run | null} */
    this.run = null;
    /** All lines of a tab are shown as one game, so that they take the place of one among the kept games. */
    this.id = '';
    this.commands = { repertoire: () => app.open('repertoire') };
  }

  gameChanged() {
    if (this.run?.game !== this.app.game) this.run = null;
  }

  /** Trains a line. @param {Course} course */
  async begin(course) {
    const { app } = this;
    const { board, from } = course;
    const game = new Game(board.shape, board.setup);
    game.root.turn = board.root.turn;
    this.id ||= game.id;
    const revision = app.feature('mistakes').revisionOf(this.id);
    Object.assign(game, { id: this.id, revision, whiteFirst: board.whiteFirst, seats: { first: 'you', second: 'you' } });
    game.live = from.reduce((node, move) => game.add(node, move), game.root);
    game.show(game.live);
    const undo = !this.run && app.game.root.children.length ? t('new.done') : '';
    await app.setMode('play');
    this.run = { course, game, at: game.live, asked: 0, known: 0 };
    await app.useGame(game, { undo });
    void this.step(game.live);
  }

  /** The other side has moved, perhaps by the hand of the user, or the user has taken moves back. @param {Node} node */
  follow(node) {
    const { run, app } = this;
    if (!run || app.game !== run.game || app.mode !== 'play' || node === run.at || node !== app.game.live) return;
    const isAnswer = node.parent === run.at && run.at.turn !== run.course.side;
    if (isAnswer || run.at.isWithin(node)) void this.step(node);
  }

  /** Asks for the move in a position, or answers it. @param {Node} node */
  async step(node) {
    const { run, app } = this;
    if (!run) return;
    run.at = node;
    const known = await app.loaded(run.course.at(run.game, node)).catch((error) => app.fail(error.message));
    const isCurrent = () => this.run === run && run.at === node && app.game === run.game;
    if (!known || !isCurrent()) return;
    if (known.comment && !node.comment) annotate(app, node, { comment: known.comment }, false);
    const own = node.turn === run.course.side;
    const moves = known.moves.filter(({ isOwn }) => !own || isOwn);
    if (!moves.length) return this.end(run);
    if (own)
      return this.ask(
        run,
        node,
        moves.flatMap((one) => one.moves),
      );
    setTimeout(() => {
      if (isCurrent() && app.game.live === node) app.withPlay((play) => void play.place(node, chosen(moves)));
    }, PACE_MS);
  }

  /** @param {Run} run @param {Node} node @param {string[]} moves */
  ask(run, node, moves) {
    const mistakes = this.app.feature('mistakes');
    run.asked++;
    mistakes.askInLine(
      store.cardOf(run.game, node, moves, NODES, Date.now()),
      run.game,
      node,
      (/** @type {Node} */ next, /** @type {boolean} */ isKnown) => {
        run.known += Number(isKnown);
        void this.step(next);
      },
    );
  }

  /** @param {Run} run */
  end({ course, game, asked, known }) {
    const text = asked ? t('repertoire.end', { known, asked }) : t('repertoire.empty');
    this.app.feature('mistakes').endLine({ game, text, again: () => void this.begin(course) });
  }
}

/** Chooses a move by the number of its lines. @param {Known['moves']} moves */
function chosen(moves) {
  let left = Math.random() * moves.reduce((sum, { lines }) => sum + lines, 0);
  const one = moves.find(({ lines }) => (left -= lines) < 0) ?? moves[0];
  return one?.moves[0] ?? '';
}
