//! Files and texts as games: records, lists of moves, links. The engine in the page converts files of other programs (RenLib
//! libraries, PSQ, PGN, lists of games) to SGF, also beside a server that has its files. A server itself refuses that.

import { t } from '../base/text.js';
import { Client } from '../protocol/client.js';
import { hasEngine, WorkerPort } from '../protocol/worker-port.js';
import { Game } from '../record/game.js';
import { LinkError, readLink } from '../record/link.js';
import { playMoves, readMoves } from '../record/notation.js';
import { decodeRecord, readSgf, RecordError } from '../record/sgf.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../record/game.js').Shape} Shape */

/** The largest part of a file that is sent in one line, in bytes, and the bytes of a line besides the part. */
const PART = 600_000;
const REST = 1000;
const NAMES = /\.(lib|psq|pgn|jsonl)$/i;

/** Whether a file is none that the page reads itself. @param {string} name @param {Uint8Array} bytes */
const isForeign = (name, bytes) => NAMES.test(name) || String.fromCharCode(...bytes.slice(1, 7)) === 'RenLib';

/** Says what to do with a file that the engine does not convert: only the page of a site has another engine. @param {string} name */
const refusal = (name) => t(document.querySelector('link[rel=manifest]') ? 'import.foreign' : 'import.convert', { name });

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = '';
  // A call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Starts an engine in the page that only converts. @param {App} app @param {(message: string) => void} failed */
function startConverter(app, failed) {
  const client = new Client({
    open: () => new WorkerPort({ loading: (part) => app.onLoading(part) }),
    setTimer: (f, ms) => setTimeout(f, ms),
    clearTimer: (timer) => clearTimeout(timer),
    now: () => performance.now(),
    token: () => null,
    changed: () => {},
    notice: ({ message }) => failed(message),
  });
  client.isRemote = false;
  client.connect();
  return client;
}

/** Returns a file as SGF. An error is a text for people. @param {App} app @param {string} name @param {Uint8Array} bytes @returns {Promise<string>} */
async function convert(app, name, bytes) {
  if (app.client.isRemote && hasEngine()) {
    let fail = (/** @type {Error} */ _error) => {};
    const failure = /** @type {Promise<never>} */ (new Promise((_, reject) => (fail = reject)));
    const client = startConverter(app, (why) => fail(new Error(t('engine.failed', { why }))));
    return Promise.race([failure, convertBy(app, client, name, bytes)]).finally(() => client.disconnect());
  }
  if (app.connection.state !== 'open') throw new Error(refusal(name));
  return convertBy(app, app.client, name, bytes);
}

/** @param {App} app @param {Client} client of the engine that converts @param {string} name @param {Uint8Array} bytes @returns {Promise<string>} */
async function convertBy(app, client, name, bytes) {
  // Base64 writes three bytes in four characters.
  const size = Math.min(PART, Math.floor(((await client.longestLine()) - REST) / 4) * 3);
  const query = { action: /** @type {const} */ ('convert_record'), to: /** @type {const} */ ('sgf') };
  const count = Math.max(1, Math.ceil(bytes.length / size));
  const parts = Array.from({ length: count }, (_, n) => ({
    ...query,
    base64: base64(bytes.subarray(n * size, (n + 1) * size)),
    part: n + 1,
    more: n + 1 < count,
  }));
  const last = { ...parts[count - 1], name, to_encoding: 'UTF-8' };
  return new Promise((resolve, reject) => {
    let text = '';
    client.ask(
      last,
      (reply, done) => {
        if (reply.type === 'warning') return app.addLog(reply.message);
        if (reply.type === 'error') return reject(new Error(reply.code === 'forbidden' ? refusal(name) : reply.message));
        text += reply.text ?? '';
        if (done) resolve(text);
      },
      parts.slice(0, -1),
    );
  });
}

/** A text that cannot be read as a game. The message is shown to the user. */
export class ImportError extends Error {}

/** Returns the error of a wrong text. @param {number} line @param {number} column @param {string} key the key of the reason @param {string} what the wrong text */
const faultAt = (line, column, key, what) => new ImportError(t('import.at', { line, column, why: t(key, { what }) }));

/**
 * Reads a record, a link or a list of moves.
 * @param {string} text @param {Shape} shape the board of a list of moves
 */
export function readAny(text, shape) {
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

/** @param {string} text @param {Shape} shape */
function readBareMoves(text, shape) {
  const read = readMoves(text.trim(), shape);
  if (read.at !== undefined) throw faultAt(1, read.at, 'import.move', read.what);
  if (!read.moves.length) throw new ImportError(t('import.empty'));
  const game = new Game(shape);
  const refused = read.moves[playMoves(game, read.moves)];
  if (refused) throw faultAt(1, text.toLowerCase().lastIndexOf(refused) + 1, 'import.move', refused);
  return game;
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
