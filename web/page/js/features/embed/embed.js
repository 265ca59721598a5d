//! The page of an embedded board: a game to step through, without an engine. The address holds the game: after
//! `#` a link's parts, or `sgf=` and a record.

import { Replay } from '../../app/replay.js';
import { byId, chooseLanguage, drawIcons, loadLanguage, loadRest, setText, t, writeTexts } from '../../base/text.js';
import { Game, shapeOf } from '../../record/game.js';
import { LinkError, readLink } from '../../record/link.js';
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
  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('[data-step]'));
  const embedded = new Replay({ host: byId('board'), status: byId('status'), open: byId('open'), buttons }, game);
  embedded.paint();
  if (fault) setText(byId('status'), fault);
  embedded.listen(document);
  addEventListener('resize', () => embedded.paint());
}

if (typeof document !== 'undefined') void start();
