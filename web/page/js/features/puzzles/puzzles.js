//! Puzzles: the card of the open puzzle, and the judgement of the user's moves. The open puzzle is a part of its game, and is
//! saved with it.

import { request } from '../../app/positions.js';
import { sentence, shortNumber } from '../../base/format.js';
import { byId, el, hasChanged, languageNow, t } from '../../base/text.js';
import { Game, moveText, shapeOf } from '../../record/game.js';
import { isDraw, verdictOf } from '../../record/verdict.js';
import { known, lengthOf, loadPuzzles, setupOf, wantsShortest } from './file.js';
import { keep, ofDay, rated, score, today } from './score.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */
/** @typedef {import('../../record/game.js').Verdict} Verdict */
/** @typedef {import('../../record/game.js').Puzzle} Puzzle */
/** @typedef {import('../../record/game.js').PuzzleSaid} Said */
/** @typedef {import('../../record/game.js').OpenPuzzle} Open */

/** The nodes of a search that judges a move. A win that it does not find may still be one. */
const NODES = 500_000;
/** The nodes of each search for the reason why a move fails. */
const REASON_NODES = 50_000;
/** The most moves of a line in the card. */
const SHOWN = 6;

/** @param {App} app */
export const mount = (app) => new Puzzles(app);

class Puzzles {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Puzzle[] | null} */
    this.list = null;
    /** The moves that were judged. @type {WeakSet<Node>} */
    this.judged = new WeakSet();
    /** What was chosen last: variant and grade; empty: any. */
    this.wanted = { variant: '', grade: '' };
    this.commands = { puzzles: () => app.open('puzzles') };
    this.drawn = new Map();
    this.card = el('section.card.ending', { id: 'puzzle', hidden: true, 'aria-live': 'polite' });
    byId('ending').before(this.card);
    this.gameChanged();
  }

  /** Another game is shown. A judgement that was under way when it was left is not. */
  gameChanged() {
    if (this.open?.said.kind === 'judging') this.open.said = { kind: 'find' };
  }

  /** The open puzzle, if it is shown. @returns {Open | null} */
  get open() {
    return this.app.game.puzzle;
  }

  /** The side that has to win. */
  get side() {
    return this.app.game.root.turn;
  }

  /** Returns all puzzles, which are loaded once. */
  async load() {
    return (this.list ??= await loadPuzzles());
  }

  /** Opens a puzzle that is not solved yet. @param {string} variant @param {string} grade both empty: any */
  async next(variant = this.wanted.variant, grade = this.wanted.grade) {
    const { app } = this;
    this.wanted = { variant, grade };
    const all = await app.loaded(this.load(), () => void this.next());
    if (!all) return;
    const fitting = all.filter(({ v, g }) => (!variant || v === variant) && (!grade || g === grade));
    const { solved } = score();
    const unsolved = fitting.filter(({ f }) => !solved.includes(f) && f !== this.open?.puzzle.f);
    const choice = unsolved.length ? unsolved : fitting;
    await this.begin(choice[Math.floor(Math.random() * choice.length)]);
  }

  /** Opens the puzzle of the day. */
  async daily() {
    const all = await this.app.loaded(this.load(), () => void this.daily());
    if (all) await this.begin(ofDay(all, today()), today());
  }

  /** Opens a puzzle. @param {Puzzle | undefined} puzzle @param {string} day empty: it is not the puzzle of the day */
  async begin(puzzle, day = '') {
    const { app } = this;
    if (!puzzle) return app.fail(t('puzzles.none'));
    const shape = shapeOf(puzzle.v);
    const game = new Game(shape, setupOf(puzzle.f, shape.h));
    Object.assign(game, { seats: { first: 'engine', second: 'engine', [game.root.turn]: 'you' }, level: 10 });
    game.puzzle = { puzzle, said: { kind: 'find' }, day, failed: false };
    await app.setMode('play');
    await app.useGame(game, { undo: app.game.root.children.length ? t('new.done') : '' });
    app.say(this.text());
  }

  /** Judges a new move of the user. @param {Node} node */
  follow(node) {
    const { open, app } = this;
    if (!open || open.said.kind === 'solved' || app.mode !== 'play' || !node.parent || node.side !== this.side || this.judged.has(node))
      return;
    this.judged.add(node);
    const line = open.puzzle.l.split(' ');
    const { move } = node;
    if (node.moves().every((played, n) => played === line[n])) return this.show({ kind: 'wins', move });
    const found = node.ply === 1 ? known(open.puzzle, move) : null;
    if (found?.verdict === 'wins') return this.show({ kind: 'wins', move, n: Math.ceil((found.line.length + 1) / 2) });
    if (found?.verdict === 'does_not_win' && found.line.length) {
      this.show({ kind: 'does_not_win', move, line: found.line, draw: found.draw });
      return this.explain(node, open.said);
    }
    this.judge(node, found?.verdict ?? 'no_win_found');
  }

  /** Lets the engine judge a move. @param {Node} node @param {Verdict} verdict what holds if the engine proves nothing */
  judge(node, verdict) {
    const { move } = node;
    const asked = this.open;
    this.show({ kind: 'judging', move });
    request(
      this.app,
      node,
      { nodes: NODES },
      {
        valid: () => this.open === asked && asked?.said.kind === 'judging' && asked.said.move === move,
        failed: () => this.show({ kind: 'find' }),
        on: (reply, last) => {
          if (!last) return;
          const own = verdictOf(reply, this.side);
          const plies = /** @type {any} */ (reply.score)?.loss_in ?? 0;
          const n = node.ply === 1 ? Math.ceil((plies + 1) / 2) : undefined;
          if (own === 'wins') return this.show({ kind: 'wins', move, n });
          this.show({ kind: own === 'no_win_found' ? verdict : own, move, line: reply.pv ?? [], draw: isDraw(reply) });
          if (asked?.said.kind === 'does_not_win') this.explain(node, asked.said);
        },
      },
    );
  }

  /** Adds to a verdict why the move fails, unless that tells the solution. @param {Node} node @param {Said} said */
  explain(node, said) {
    const { app } = this;
    const query = {
      action: /** @type {const} */ ('review'),
      ...app.game.query(node, node.parent ?? node),
      nodes: REASON_NODES,
      threads: 1,
      language: languageNow(),
    };
    request(app, node, query, {
      valid: () => this.open?.said === said,
      on: ({ reason }) => {
        if (reason && !['misses_win', 'draws', 'quiet'].includes(reason.kind)) this.show({ ...said, why: sentence(reason.text) });
      },
    });
  }

  /** Says something in the card, and saves it. @param {Said} said */
  show(said) {
    const { open, app } = this;
    if (!open) return;
    open.said = said;
    if (said.kind === 'does_not_win') this.fail();
    app.save();
    app.refresh();
  }

  /** Ends the streak at the first mistake or help in a puzzle. */
  fail() {
    const { open } = this;
    if (!open || open.failed) return;
    open.failed = true;
    this.app.save();
    this.keep({ streak: 0, rating: rated(score().rating, open.puzzle.g, false) });
  }

  /** Counts a puzzle whose game the user has won. */
  solve() {
    const { open } = this;
    if (!open) return;
    const { puzzle, day, failed } = open;
    const { streak, best, solved, rating, daily } = score();
    const now = failed ? streak : streak + 1;
    this.keep({
      streak: now,
      best: Math.max(best, now),
      solved: solved.includes(puzzle.f) ? solved : [...solved, puzzle.f],
      rating: failed ? rating : rated(rating, puzzle.g, true),
      daily: day || daily,
    });
    this.show({ kind: 'solved' });
  }

  /** @param {Partial<import('./score.js').Score>} changes */
  keep(changes) {
    if (!keep(changes)) this.app.tell(t('storage.refused'));
  }

  /** Goes back to the puzzle's position. */
  retry() {
    const { app } = this;
    this.judged = new WeakSet();
    this.show({ kind: 'find' });
    void app.setMode('play').then(() => app.withPlay((play) => play.playOn(app.game.root)));
  }

  /** Shows the solution as the main line, and the other moves of the file as variations. */
  async solution() {
    const { open, app } = this;
    const { game } = app;
    if (!open) return;
    const { puzzle } = open;
    if (open.said.kind !== 'solved') this.fail();
    await app.setMode('analyse');
    if (app.game !== game) return;
    for (const line of [puzzle.l, ...puzzle.t.map(([line]) => line)]) {
      let node = game.root;
      for (const move of line.split(' ')) node = game.add(node, move);
      if (line === puzzle.l) game.promote(node);
    }
    game.root.last = game.root.children[0] ?? null;
    app.goTo(game.root);
    app.save();
  }

  /** The text of the card. */
  text() {
    const { open, app } = this;
    if (!open) return '';
    const { said, puzzle } = open;
    const length = lengthOf(puzzle);
    const isLater = said.kind === 'wins' && (said.n ?? 0) > length;
    const isShortest = said.kind === 'find' && wantsShortest(puzzle);
    const isDrawn = said.kind === 'does_not_win' && said.draw;
    const key = isLater ? 'later' : isShortest ? 'shortest' : isDrawn ? 'draws' : said.kind;
    const values = { move: moveText(said.move ?? ''), side: app.sideName(this.side), n: isLater ? Number(said.n) : length, best: length };
    const shown = said.line?.slice(0, SHOWN).map(moveText).join(' ');
    const line = shown ? t('puzzles.refuted', { line: shown }) : '';
    return [t(`puzzles.${key}`, values), line, said.why].filter(Boolean).join(' ');
  }

  /** What is proven about the other moves, and the themes of the solution. */
  facts() {
    const { u, n, h } = /** @type {Open} */ (this.open).puzzle;
    const others = u?.length
      ? t('puzzles.searched', { moves: u.map(moveText).join(' '), n: shortNumber(n) })
      : u
        ? t('puzzles.proven')
        : '';
    return [h.map((theme) => t(`puzzletheme.${theme}`)).join(', '), others].filter(Boolean).join('. ');
  }

  paint() {
    const { card, open, app } = this;
    card.hidden = !open;
    if (!open) return;
    const over = app.over();
    if (over && app.mode === 'play' && open.said.kind !== 'solved') {
      if (over.winner === this.side) this.solve();
      else if (open.said.kind !== 'does_not_win') this.show({ kind: 'does_not_win', move: app.game.root.next()?.move, draw: !over.winner });
    }
    // Help ends the streak, but not after the puzzle is solved.
    if (app.hint && open.said.kind !== 'solved') this.fail();
    const { streak, best, rating } = score();
    const isSolved = open.said.kind === 'solved';
    const data = [this.text(), open.puzzle, streak, best, rating, isSolved];
    if (!hasChanged(this.drawn, 'card', data)) return;
    const button = (/** @type {string} */ key, /** @type {() => void} */ act, primary = false) =>
      el(`button${primary ? '.primary' : ''}`, { type: 'button', 'data-puzzle': key, onclick: act }, t(`puzzles.${key}`));
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.puzzle : undefined;
    const title = open.day ? `${t('puzzles.daily')} ${open.day}` : t('dialog.puzzles');
    card.replaceChildren(
      el('h2', null, `${title}: ${t(`v.${open.puzzle.v}`)}, ${t(`puzzles.${open.puzzle.g}`)}`),
      el('p', { id: 'puzzletext' }, this.text()),
      ...(isSolved ? [el('p', { id: 'puzzlefacts' }, this.facts())] : []),
      el('p', { id: 'puzzlestreak' }, `${t('puzzles.streak', { n: streak, best })} ${t('puzzles.rating', { n: rating })}`),
      el(
        'div.endings',
        null,
        ...(isSolved ? [] : [button('retry', () => this.retry())]),
        button('solution', () => void this.solution()),
        button('next', () => void this.next(), isSolved),
      ),
    );
    if (focused) /** @type {HTMLElement | null} */ (card.querySelector(`[data-puzzle=${focused}]`))?.focus();
  }

  language() {
    this.drawn.clear();
  }
}
