//! Puzzles: the card of the open puzzle, the judgement of the user's moves, and the streak.

import { request } from '../../app/positions.js';
import { byId, el, hasChanged, storedItem, storeItem, t } from '../../base/text.js';
import { Game, moveText, nameOf, other, shapeOf } from '../../record/game.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */
/** @typedef {import('../../record/game.js').Side} Side */
/** A puzzle: variant, grade, FEN, solution, and the forcing moves that do not win, each with its refutation. @typedef {{ v: string, g: string, f: string, l: string, t: string[] }} Puzzle */
/** @typedef {{ streak: number, best: number, solved: string[] }} Score the solved puzzles by their FEN */

/** The file of the puzzles, made as docs/manual/puzzles.md says. */
const FILE = 'puzzles.json';
/** The nodes of a search that judges a move. */
const NODES = 100_000;
/** The most moves of a refutation in the card. */
const SHOWN = 6;

/** Returns the stones of a FEN and the side to move. @param {string} fen @param {number} height */
export function setupOf(fen, height) {
  const [rows = '', turn = 'w'] = fen.split(' ');
  const setup = {
    first: /** @type {string[]} */ ([]),
    second: /** @type {string[]} */ ([]),
    turn: /** @type {Side} */ (turn === 'w' ? 'first' : 'second'),
  };
  rows.split('/').forEach((row, n) => {
    let c = 0;
    for (const [text] of row.matchAll(/\d+|[Pp]/g)) {
      if (/\d/.test(text)) c += Number(text);
      else setup[text === 'P' ? 'first' : 'second'].push(nameOf({ c: c++, r: height - 1 - n }));
    }
  });
  return setup;
}

/** Returns the streak and the solved puzzles of this browser. @returns {Score} */
export function score() {
  try {
    const { streak, best, solved } = JSON.parse(storedItem('local', 'tengen.puzzles') ?? '{}');
    return { streak: Number(streak) || 0, best: Number(best) || 0, solved: Array.isArray(solved) ? solved : [] };
  } catch {
    return { streak: 0, best: 0, solved: [] };
  }
}

/** @param {App} app */
export const mount = (app) => new Puzzles(app);

class Puzzles {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Puzzle[] | null} */
    this.list = null;
    /** The open puzzle and its game. @type {{ puzzle: Puzzle, game: Game, side: Side, failed: boolean } | null} */
    this.open = null;
    /** What the card says, and the move that it is about. @type {{ kind: 'find' | 'judging' | 'wrong' | 'right' | 'solved', move?: string, line?: string[] }} */
    this.state = { kind: 'find' };
    /** The moves that were judged. @type {WeakSet<Node>} */
    this.judged = new WeakSet();
    /** What was chosen last: variant and grade; empty: any. */
    this.wanted = { variant: '', grade: '' };
    this.drawn = new Map();
    this.card = el('section.card.ending', { id: 'puzzle', hidden: true, 'aria-live': 'polite' });
    byId('ending').before(this.card);
  }

  /** Returns all puzzles, which are loaded once. */
  async load() {
    if (this.list) return this.list;
    const reply = await fetch(FILE);
    if (!reply.ok) throw new TypeError(`load ${FILE}: ${reply.status}`);
    this.list = /** @type {Puzzle[]} */ (await reply.json());
    return this.list;
  }

  /** Opens a puzzle that is not solved yet. @param {string} variant @param {string} grade both empty: any */
  async next(variant = this.wanted.variant, grade = this.wanted.grade) {
    const { app } = this;
    this.wanted = { variant, grade };
    const all = await app.loaded(this.load(), () => void this.next());
    if (!all) return;
    const fitting = all.filter(({ v, g }) => (!variant || v === variant) && (!grade || g === grade));
    const { solved } = score();
    const open = fitting.filter(({ f }) => !solved.includes(f) && f !== this.open?.puzzle.f);
    const choice = open.length ? open : fitting;
    const puzzle = choice[Math.floor(Math.random() * choice.length)];
    if (!puzzle) return app.fail(t('puzzles.none'));
    const shape = shapeOf(puzzle.v);
    const game = new Game(shape, setupOf(puzzle.f, shape.h));
    const side = game.root.turn;
    Object.assign(game, { seats: { first: 'engine', second: 'engine', [side]: 'you' }, level: 10 });
    this.open = { puzzle, game, side, failed: false };
    this.state = { kind: 'find' };
    await app.setMode('play');
    await app.useGame(game, { undo: app.game.root.children.length ? t('new.done') : '' });
    app.say(this.text());
  }

  /** Whether the puzzle is shown. */
  get shown() {
    return this.open?.game === this.app.game;
  }

  /** Judges a new move of the user. @param {Node} node */
  follow(node) {
    const { open, app } = this;
    if (!open || !this.shown || app.mode !== 'play' || !node.parent || node.side !== open.side || this.judged.has(node)) return;
    this.judged.add(node);
    const line = open.puzzle.l.split(' ');
    const { move } = node;
    if (node.moves().every((played, n) => played === line[n])) return this.show({ kind: 'right', move });
    const known = node.ply === 1 ? open.puzzle.t.map((tried) => tried.split(' ')).find(([first]) => first === move) : undefined;
    if (known) return this.show({ kind: 'wrong', move, line: known.slice(1) });
    this.show({ kind: 'judging', move });
    request(
      app,
      node,
      { nodes: NODES },
      {
        valid: () => this.shown && this.state.kind === 'judging' && this.state.move === move,
        failed: () => this.show({ kind: 'find' }),
        on: (reply, last) => {
          if (!last) return;
          const wins = reply.score?.loss_in !== undefined || reply.outcome === open.side;
          this.show(wins ? { kind: 'right', move } : { kind: 'wrong', move, line: reply.pv ?? [] });
        },
      },
    );
  }

  /** @param {Puzzles['state']} state */
  show(state) {
    this.state = state;
    if (state.kind === 'wrong') this.fail();
    this.app.refresh();
  }

  /** Ends the streak at the first mistake in a puzzle. */
  fail() {
    const { open } = this;
    if (!open || open.failed) return;
    open.failed = true;
    this.keep({ ...score(), streak: 0 });
  }

  /** Counts a puzzle whose game the user has won. */
  solve() {
    const { open } = this;
    if (!open) return;
    this.state = { kind: 'solved' };
    const { streak, best, solved } = score();
    const now = open.failed ? streak : streak + 1;
    const all = solved.includes(open.puzzle.f) ? solved : [...solved, open.puzzle.f];
    this.keep({ streak: now, best: Math.max(best, now), solved: all });
  }

  /** @param {Score} kept */
  keep(kept) {
    if (!storeItem('local', 'tengen.puzzles', JSON.stringify(kept))) this.app.tell(t('storage.refused'));
  }

  /** Goes back to the puzzle's position. */
  retry() {
    const { open, app } = this;
    if (!open) return;
    this.judged = new WeakSet();
    this.state = { kind: 'find' };
    void app.setMode('play').then(() => app.withPlay((play) => play.playOn(open.game.root)));
  }

  /** Shows the solution as the main line, and the moves that do not win as variations. */
  async solution() {
    const { open, app } = this;
    if (!open) return;
    const { game, puzzle } = open;
    this.fail();
    await app.setMode('analyse');
    if (app.game !== game) return;
    for (const line of [puzzle.l, ...puzzle.t]) {
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
    const { open, state, app } = this;
    if (!open) return '';
    const values = { move: moveText(state.move ?? ''), side: app.sideName(open.side), n: Math.ceil(open.puzzle.l.split(' ').length / 2) };
    const text = t(`puzzles.${state.kind}`, values);
    const line = state.line?.length ? t('puzzles.refuted', { line: state.line.slice(0, SHOWN).map(moveText).join(' ') }) : '';
    return [text, line].filter(Boolean).join(' ');
  }

  paint() {
    const { card, open, state, app } = this;
    const shown = open !== null && this.shown;
    card.hidden = !shown;
    if (!shown) return;
    const over = app.over();
    if (over && app.mode === 'play' && state.kind !== 'solved') {
      if (over.winner === open.side) this.solve();
      else if (state.kind !== 'wrong') this.show({ kind: 'wrong', move: open.game.root.next()?.move });
    }
    const { streak, best } = score();
    const data = [this.text(), open.puzzle, streak, best];
    if (!hasChanged(this.drawn, 'card', data)) return;
    const button = (/** @type {string} */ key, /** @type {() => void} */ act, primary = false) =>
      el(`button${primary ? '.primary' : ''}`, { type: 'button', 'data-puzzle': key, onclick: act }, t(`puzzles.${key}`));
    const isSolved = this.state.kind === 'solved';
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.puzzle : undefined;
    card.replaceChildren(
      el('h2', null, `${t('dialog.puzzles')}: ${t(`v.${open.puzzle.v}`)}, ${t(`puzzles.${open.puzzle.g}`)}`),
      el('p', { id: 'puzzletext' }, this.text()),
      el('p', { id: 'puzzlestreak' }, t('puzzles.streak', { n: streak, best })),
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
