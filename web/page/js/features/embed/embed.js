//! The page of an embedded board: a game to step through, without an engine. The address holds the game: after
//! `#` a link's parts, or `sgf=` and a record.

import { State } from '../../app/state.js';
import { byId, chooseLanguage, drawIcons, loadLanguage, loadRest, setText, t, writeTexts } from '../../base/text.js';
import { BoardView } from '../../board/view.js';
import { Game, moveText, shapeOf } from '../../record/game.js';
import { LinkError, linkOf, readLink } from '../../record/link.js';
import { readSgf, RecordError } from '../../record/sgf.js';

/** Decodes percent signs; returns a damaged text as it is. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} hash */
function readGame(hash) {
  if (!hash.startsWith('#sgf=')) return readLink(hash);
  const game = readSgf(decoded(hash.slice(5)));
  game.show(game.root);
  return game;
}

/** Returns what is wrong with a game, as a text. @param {unknown} error */
function faultText(error) {
  if (error instanceof LinkError) return t(error.key, error.values);
  if (error instanceof RecordError) {
    return t('import.at', { line: error.line, column: error.column, why: t(error.key, { what: error.what }) });
  }
  return String(error);
}

class EmbeddedBoard {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.board = new BoardView(byId('board'), () => import('../../board/marks.js'));
    this.state = new State(this.board);
    Object.assign(this.state, { game, mode: 'review' });
    this.board.onMarks = () => this.paint();
  }

  /** Moves along the line. @param {number} count moves; below 0: backwards */
  step(count) {
    const line = this.game.line();
    const node = line[Math.min(Math.max(this.game.shown.ply + count, 0), line.length - 1)];
    if (node) this.game.show(node);
    this.paint();
  }

  paint() {
    const { game, state } = this;
    const { shown } = game;
    this.board.setShape(game.shape);
    this.board.paint(state.scene());
    const move = shown.move ? `${state.sideName(shown.side)} ${moveText(shown.move)}. ${shown.comment}` : '';
    const at = t('move.of', { at: shown.ply, all: game.line().length - 1 });
    setText(byId('status'), [at, move.trim()].filter(Boolean).join(' · '));
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('[data-step]'))) {
      button.disabled = Number(button.dataset.step) < 0 ? !shown.parent : !shown.next();
    }
    /** @type {HTMLAnchorElement} */ (byId('open')).href = `./${linkOf(game)}`;
  }
}

async function start() {
  const language = chooseLanguage(null, navigator.languages);
  await loadLanguage(language);
  document.documentElement.lang = language;
  drawIcons();
  writeTexts();
  let game = new Game(shapeOf('renju'));
  let fault = '';
  try {
    game = readGame(location.hash);
  } catch (error) {
    await loadRest();
    fault = faultText(error);
  }
  const embedded = new EmbeddedBoard(game);
  embedded.paint();
  if (fault) setText(byId('status'), fault);
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (button?.dataset.step) embedded.step(Number(button.dataset.step));
  });
  const keys = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1, Home: -9999, End: 9999 });
  document.addEventListener('keydown', (event) => {
    const count = keys[event.key];
    if (!count || event.target instanceof HTMLAnchorElement) return;
    event.preventDefault();
    embedded.step(count);
  });
  addEventListener('resize', () => embedded.paint());
}

if (typeof document !== 'undefined') void start();
