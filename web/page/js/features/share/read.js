//! Shows the games of texts and files.

import { ImportError, readAny } from '../../app/files.js';
import { close } from '../../base/dialog.js';
import { t } from '../../base/text.js';
import { addGames, gamesOf, placedText } from '../../record/collection.js';
import { writeSgf } from '../../record/sgf.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/collection.js').Open} Open */
/** @typedef {import('../../record/game.js').Game} Game */
/** A text to read, and the name of its file, which may be empty. @typedef {{ text: string, name: string }} Source */

/** Shows the game of a text, or the list of the games of several texts. @param {App} app @param {Source[]} sources */
export function openTexts(app, sources) {
  const [one] = sources;
  if (!one) return;
  if (sources.length > 1 || gamesOf(one.text).length > 1) {
    const files = sources.map((source) => ({ ...source, text: recordOf(app, source) }));
    for (const { text, name } of files.reverse()) addGames(text, name);
    return app.open('collection');
  }
  const game = read(app, one.text);
  const [entry] = addGames(one.text, one.name);
  if (entry) entry.game = game;
  showGame(app, game);
}

/** Reads a game to show it. A tree without players and result, such as a library, begins where it branches first. @param {App} app @param {string} text */
function read(app, text) {
  const game = readAny(text, app.game.shape);
  const { PB, PW } = game.extra;
  let { root: node } = game;
  while (node.children.length === 1 && node.children[0]) [node] = node.children;
  if (node.children.length && !PB && !PW && !game.said) game.show(node);
  return game;
}

/** Returns a text as a record. The error of one game names its file. @param {App} app @param {Source} source */
function recordOf(app, { text, name }) {
  const { length } = gamesOf(text);
  if (length > 1) return text;
  try {
    const game = readAny(text, app.game.shape);
    return length ? text : writeSgf(game);
  } catch (error) {
    throw error instanceof ImportError ? new ImportError(`"${name}": ${error.message}`) : error;
  }
}

/** Shows a game of the list. One that was shown before has its changes. @param {App} app @param {Open} entry */
export function openEntry(app, entry) {
  const choices = [{ text: t('dialog.collection'), act: () => app.open('collection') }];
  try {
    entry.game ??= read(app, entry.text);
    showGame(app, entry.game, { text: t('collection.open', { at: entry.number, all: entry.count }), choices });
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    app.fail(placeOf(entry, app), choices);
  }
}

/** Returns the error of a game in its file. @param {Open} entry @param {App} app */
function placeOf(entry, app) {
  try {
    readAny(placedText(entry.file, entry), app.game.shape);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Shows a game that was read. @param {App} app @param {Game} game @param {App['note']} [note] what is told of it */
function showGame(app, game, note = null) {
  game.seats = { first: 'you', second: 'you' };
  close();
  // The game that was shown can be got back.
  const undo = app.game.root.children.length ? t('import.done') : '';
  void app.useGame(game).then(async () => {
    // What the game needs may not have loaded.
    if (app.game !== game) return;
    await app.setMode('analyse');
    if (note) app.tell(note.text, note.choices);
    else if (undo) app.tell(undo, [{ text: t('games.mine'), act: () => app.open('games') }]);
  });
}
