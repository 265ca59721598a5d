//! The dialog of sharing and importing: links, moves, records, pictures.

import { el, setText, t } from './text.js';
import { Game } from './game.js';
import { playMoves, readMoves } from './notation.js';
import { close, select } from './dialog-shell.js';
import { decodeRecord, readSgf, RecordError, writeSgf } from './sgf.js';
import { LinkError, linkOf, readLink } from './link.js';
import { savePicture } from './picture.js';

/** @typedef {import('./main.js').App} App */

/** A text that cannot be read as a game. The message is shown to the user. */
class ImportError extends Error {}

/** Returns the error of a wrong text. @param {number} line @param {number} column @param {string} key the key of the reason @param {string} what the wrong text */
const faultAt = (line, column, key, what) => new ImportError(t('import.at', { line, column, why: t(key, { what }) }));

/**
 * Reads a record, a link or a list of moves.
 * @param {string} text @param {import('./game.js').Shape} shape the board of a list of moves
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

/** @param {string} text @param {import('./game.js').Shape} shape */
function readBareMoves(text, shape) {
  const read = readMoves(text.trim(), shape);
  if (read.at !== undefined) throw faultAt(1, read.at, 'import.move', read.what);
  if (!read.moves.length) throw new ImportError(t('import.empty'));
  const game = new Game(shape);
  const refused = read.moves[playMoves(game, read.moves)];
  if (refused) throw faultAt(1, text.toLowerCase().lastIndexOf(refused) + 1, 'import.move', refused);
  return game;
}

/** @param {(text: string) => void} tell @param {string} name @param {BlobPart} data @param {string} type */
function saveFile(tell, name, data, type) {
  const url = URL.createObjectURL(new Blob([data], { type }));
  const link = /** @type {HTMLAnchorElement} */ (el('a', { href: url, download: name }));
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  tell(t('saved', { name }));
}

/** Builds the contents of the dialog. @param {App} app @param {string} text the text to import */
export async function share(app, text) {
  const { game } = app;
  const names = { first: app.playerName('first'), second: app.playerName('second') };
  const field = /** @type {HTMLTextAreaElement} */ (el('textarea', { id: 'import', rows: 4, spellcheck: 'false', 'aria-describedby': 'importhelp importfault' }));
  field.value = text;
  const errorLine = el('p.reason', { id: 'importfault', role: 'alert' });
  const copyField = /** @type {HTMLInputElement} */ (el('input.manual', { readonly: true, hidden: true, 'aria-label': t('copy.manual') }));
  const message = el('p.hintline', { role: 'status' });
  const tell = (/** @type {string} */ words) => setText(message, words);
  const copy = (/** @type {string} */ label, /** @type {() => string} */ make) => el('button', {
    type: 'button',
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(make());
        tell(t('copied'));
      } catch {
        copyField.hidden = false;
        copyField.value = make();
        copyField.focus();
        copyField.select();
        tell(t('copy.refused'));
      }
    },
  }, label);
  const load = () => {
    try {
      const read = readAny(field.value, game.shape);
      read.seats = { first: 'you', second: 'you' };
      close();
      void app.useGame(read).then(() => app.setMode('analyse'));
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      setText(errorLine, error.message);
      field.focus();
    }
  };
  const take = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    try {
      field.value = decodeRecord(await file.arrayBuffer());
      load();
    } catch (error) {
      setText(errorLine, error instanceof RecordError ? faultAt(error.line, error.column, error.key, error.what).message : String(error));
    }
  };
  const file = /** @type {HTMLInputElement} */ (el('input', { id: 'importfile', type: 'file', accept: '.sgf,.txt', onchange: () => void take(file.files?.[0]) }));
  field.addEventListener('dragover', (event) => event.preventDefault());
  field.addEventListener('drop', (event) => { if (event.dataTransfer?.files.length) { event.preventDefault(); void take(event.dataTransfer.files[0]); } });
  const scale = select('scale', [['1', '1×'], ['2', '2×'], ['4', '4×']], '2');
  scale.setAttribute('aria-label', t('share.scale'));
  const parts = /** @type {const} */ (['coords', 'numbers', 'discs']);
  const checks = parts.map((name) => el('label.check', null, el('input', { type: 'checkbox', checked: true, id: `with-${name}` }), t(`with.${name}`)));
  const without = () => parts.filter((name) => !(/** @type {HTMLInputElement} */ (document.getElementById(`with-${name}`)).checked));
  const picture = (/** @type {'svg' | 'png'} */ kind) => el('button', { type: 'button', 'data-save': kind, onclick: async () => saveFile(tell, `tengen.${kind}`, await savePicture(app, kind, Number(scale.value), without()), kind === 'svg' ? 'image/svg+xml' : 'image/png') }, kind.toUpperCase());
  return [el('div.form', null,
    el('h3', null, t('share.copy')), el('div.choices', null,
      copy(t('share.link'), () => location.origin + location.pathname + linkOf(game)),
      copy(t('share.moves'), () => game.line().slice(1).map((node) => node.move).join(' ')), copy('SGF', () => writeSgf(game, names))), copyField, message,
    el('h3', null, t('share.save')), el('div.choices', null,
      el('button', { type: 'button', 'data-save': 'sgf', onclick: () => saveFile(tell, 'tengen.sgf', writeSgf(game, names), 'application/x-go-sgf') }, 'SGF'), picture('svg'), picture('png'), scale),
    el('div.checks', null, ...checks),
    el('h3', null, el('label', { for: 'import' }, t('share.import'))), el('p.hintline', { id: 'importhelp' }, t('import.help')), field, errorLine,
    el('div.buttons', null, el('label.file', null, file, el('span', null, t('import.file'))), el('button.primary', { type: 'button', 'data-load': '', onclick: load }, t('import.load'))))];
}
