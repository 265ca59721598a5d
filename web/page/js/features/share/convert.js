//! Files of other programs: RenLib libraries, PSQ, PGN, lists of games. The engine converts them to SGF. A server on a
//! network refuses that, so it works with the engine in the page.

import { t } from '../../base/text.js';

/** @typedef {import('../../app/app.js').App} App */

/** The largest part of a file that is sent in one line, in bytes, and the bytes of a line besides the part. */
const PART = 600_000;
const REST = 1000;
const NAMES = /\.(lib|psq|pgn|jsonl)$/i;

/** Whether a file is none that the page reads itself. @param {string} name @param {Uint8Array} bytes */
export const isForeign = (name, bytes) => NAMES.test(name) || String.fromCharCode(...bytes.slice(1, 7)) === 'RenLib';

/** Says what to do with a file that the engine does not convert: only the page of a site has another engine. @param {string} name */
const refusal = (name) => t(document.querySelector('link[rel=manifest]') ? 'import.foreign' : 'import.convert', { name });

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = '';
  // A call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Returns a file as SGF. An error is a text for people. @param {App} app @param {string} name @param {Uint8Array} bytes @returns {Promise<string>} */
export async function convert(app, name, bytes) {
  if (app.connection.state !== 'open') throw new Error(refusal(name));
  // Base64 writes three bytes in four characters.
  const size = Math.min(PART, Math.floor(((await app.client.longestLine()) - REST) / 4) * 3);
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
    app.client.ask(
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
