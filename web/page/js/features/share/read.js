//! Reads texts and files as games, and shows them: records, lists of moves, links, files of other programs.

import { close } from '../../base/dialog.js';
import { t } from '../../base/text.js';
import { addGames, gamesOf, placedText } from '../../record/collection.js';
import { Game } from '../../record/game.js';
import { LinkError, readLink } from '../../record/link.js';
import { playMoves, readMoves } from '../../record/notation.js';
import { decodeRecord, readSgf, RecordError, writeSgf } from '../../record/sgf.js';
import { convert, isForeign } from './convert.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/collection.js').Open} Open */
/** A text to read, and the name of its file, which may be empty. @typedef {{ text: string, name: string }} Source */

/** A text that cannot be read as a game. The message is shown to the user. */
export class ImportError extends Error {}

/** Returns the error of a wrong text. @param {number} line @param {number} column @param {string} key the key of the reason @param {string} what the wrong text */
const faultAt = (line, column, key, what) => new ImportError(t('import.at', { line, column, why: t(key, { what }) }));

/**
 * Reads a record, a link or a list of moves.
 * @param {string} text @param {import('../../record/game.js').Shape} shape the board of a list of moves
 */
function readAny(text, shape) {
  try {
    if (/[#&]v=/.test(text)) return readLink(text.trim());
    if (/^[\s\uFEFF]*\(|;\s*(GM|FF|SZ|B|W)\[/.test(text)) return readSgf(text);
  } catch (error) {
    if (error instanceof RecordError) throw faultAt(error.line, error.column, error.key, error.what);
    if (error instanceof LinkError) throw new ImportError(t(error.key, error.values));
    throw error;
  }
  return readBareMoves(text, shape);
}

/** @param {string} text @param {import('../../record/game.js').Shape} shape */
function readBareMoves(text, shape) {
  const read = readMoves(text.trim(), shape);
  if (read.at !== undefined) throw faultAt(1, read.at, 'import.move', read.what);
  if (!read.moves.length) throw new ImportError(t('import.empty'));
  const game = new Game(shape);
  const refused = read.moves[playMoves(game, read.moves)];
  if (refused) throw faultAt(1, text.toLowerCase().lastIndexOf(refused) + 1, 'import.move', refused);
  return game;
}

/** Shows the game of a text, or the list of the games of several texts. @param {App} app @param {Source[]} sources */
export function openTexts(app, sources) {
  const [one] = sources;
  if (!one) return;
  if (sources.length > 1 || gamesOf(one.text).length > 1) {
    const files = sources.map((source) => ({ ...source, text: recordOf(app, source) }));
    for (const { text, name } of files.reverse()) addGames(text, name);
    return app.open('collection');
  }
  const game = readAny(one.text, app.game.shape);
  const [entry] = addGames(one.text, one.name);
  if (entry) entry.game = game;
  showGame(app, game);
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
    entry.game ??= readAny(entry.text, app.game.shape);
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

/** Shows a game that was read. @param {App} app @param {Game} read @param {App['note']} [note] what is told of it */
function showGame(app, read, note = null) {
  read.seats = { first: 'you', second: 'you' };
  close();
  // The game that was shown can be got back.
  const undo = app.game.root.children.length ? t('import.done') : '';
  void app
    .useGame(read)
    .then(() => app.setMode('analyse'))
    .then(() => {
      if (note) app.tell(note.text, note.choices);
      else if (undo) app.tell(undo, [{ text: t('games.mine'), act: () => app.open('games') }]);
    });
}

/** Returns the text of a file; a file of another program as SGF. An error names its place. @param {App} app @param {File} file */
export async function textOf(app, file) {
  const bytes = await file.arrayBuffer();
  if (isForeign(file.name, new Uint8Array(bytes)))
    return convert(app, file.name, new Uint8Array(bytes)).catch((error) => {
      throw new ImportError(error.message);
    });
  try {
    return decodeRecord(bytes);
  } catch (error) {
    if (error instanceof RecordError) throw faultAt(error.line, error.column, error.key, error.what);
    throw error;
  }
}
