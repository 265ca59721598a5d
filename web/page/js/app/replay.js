//! A game to step through, without an engine: the board, the buttons, and the text of the move.

import { setText, t } from '../base/text.js';
import { BoardView } from '../board/view.js';
import { moveText } from '../record/game.js';
import { linkOf } from '../record/link.js';
import { State } from './state.js';

/** @typedef {import('../record/game.js').Game} Game */

/** The moves that a key steps. */
const KEYS = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1, Home: -9999, End: 9999 });

/** Returns a board without input, and the state that it shows. @param {HTMLElement} host @param {Game} game */
export function watchedBoard(host, game) {
  const board = new BoardView(host, () => import('../board/marks.js'));
  const state = new State(board);
  Object.assign(state, { game, mode: 'review' });
  const paint = () => {
    board.setShape(state.game.shape);
    board.paint(state.scene());
  };
  board.onMarks = paint;
  return { state, paint };
}

export class Replay {
  /**
   * @param {{ host: HTMLElement, status: HTMLElement, open?: HTMLElement, buttons: NodeListOf<HTMLButtonElement> }} parts `open`: a link to the game on the board
   * @param {Game} game
   */
  constructor(parts, game) {
    this.parts = parts;
    this.board = watchedBoard(parts.host, game);
    /** Called after each drawing. */
    this.onPaint = () => {};
    for (const button of parts.buttons) button.addEventListener('click', () => this.step(Number(button.dataset.step)));
  }

  get game() {
    return this.board.state.game;
  }

  /** Shows another game. @param {Game} game */
  show(game) {
    this.board.state.game = game;
    this.paint();
  }

  /** Moves along the line. @param {number} count moves; below 0: backwards */
  step(count) {
    const line = this.game.line();
    const node = line[Math.min(Math.max(this.game.shown.ply + count, 0), line.length - 1)];
    if (node) this.game.show(node);
    this.paint();
  }

  /** Steps by keys that are pressed inside of `target`. @param {EventTarget} target */
  listen(target) {
    target.addEventListener('keydown', (event) => {
      const count = event instanceof KeyboardEvent ? KEYS[event.key] : undefined;
      if (!count || event.target instanceof HTMLAnchorElement) return;
      event.preventDefault();
      this.step(count);
    });
  }

  paint() {
    const { game } = this;
    const { shown } = game;
    const { status, open, buttons } = this.parts;
    this.board.paint();
    const move = shown.move ? `${this.board.state.sideName(shown.side)} ${moveText(shown.move)}. ${shown.comment}` : '';
    const at = t('move.of', { at: shown.ply, all: game.line().length - 1 });
    setText(status, [at, move.trim()].filter(Boolean).join(' · '));
    for (const button of buttons) button.disabled = Number(button.dataset.step) < 0 ? !shown.parent : !shown.next();
    if (open instanceof HTMLAnchorElement) open.href = `./${linkOf(game)}`;
    this.onPaint();
  }
}
