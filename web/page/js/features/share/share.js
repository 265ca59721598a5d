//! The dialog of sharing and importing: links, moves, records, pictures.

import { el, setText, t } from '../../base/text.js';
import { Game } from '../../record/game.js';
import { playMoves, readMoves } from '../../record/notation.js';
import { close, select } from '../../base/dialog.js';
import { decodeRecord, exportSgf, readSgf, RecordError } from '../../record/sgf.js';
import { gamesOf, placedText } from '../../record/collection.js';
import { LinkError, linkOf, readLink } from '../../record/link.js';
import { boardPng, boardSvg } from '../../board/picture.js';
import { convert, isForeign } from './convert.js';
import { movingPicture } from './moving.js';

/** @typedef {import('../../app/app.js').App} App */

/** A text that cannot be read as a game. The message is shown to the user. */
class ImportError extends Error {}

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

/** Names a file by the players of the record or the game, and by the date. @param {import('../../record/game.js').Game} game @param {string} kind */
export function fileName({ extra, shape }, kind) {
  const [first, second, date] = [extra.PB, extra.PW, extra.DT].map((values) => values?.[0]?.trim());
  const day = new Date();
  const today = [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((n) => String(n).padStart(2, '0')).join('-');
  const name = [...(first || second ? [first, second] : [shape.variant]), date || today].filter(Boolean).join(' ');
  // What file systems refuse, and points at the begin, which hide a file.
  const safe = name.replace(/[^\p{L}\p{N}.]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
  return `${safe.slice(0, 80)}.${kind}`;
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

/** Reads a text and shows its game, or the list of its games. @param {App} app @param {string} text */
function importText(app, text) {
  const games = gamesOf(text);
  if (games.length < 2) return showGame(app, readAny(text, app.game.shape));
  const choose = () => app.open('collection', { games, open });
  const open = (/** @type {import('../../record/collection.js').Entry} */ entry, /** @type {number} */ at) => {
    try {
      const words = t('collection.open', { at, all: games.length });
      showGame(app, readAny(entry.text, app.game.shape), { text: words, choices: [{ text: t('dialog.collection'), act: choose }] });
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      app.fail(placeOf(text, entry, app), [{ text: t('dialog.collection'), act: choose }]);
    }
  };
  choose();
}

/** Returns the error of a game in its file. @param {string} text @param {import('../../record/collection.js').Entry} entry @param {App} app */
function placeOf(text, entry, app) {
  try {
    readAny(placedText(text, entry), app.game.shape);
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
async function textOf(app, file) {
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

/** The part of the dialog that copies. @param {App} app */
function copyPart(app) {
  const { game } = app;
  const field = /** @type {HTMLInputElement} */ (el('input.manual', { readonly: true, hidden: true, 'aria-label': t('copy.manual') }));
  const message = el('p.hintline', { role: 'status' });
  const tell = (/** @type {string} */ words) => setText(message, words);
  const copy = (/** @type {string} */ label, /** @type {() => string} */ make) =>
    el(
      'button',
      {
        type: 'button',
        onclick: async () => {
          try {
            await navigator.clipboard.writeText(make());
            tell(t('copied'));
          } catch {
            field.hidden = false;
            field.value = make();
            field.focus();
            field.select();
            tell(t('copy.refused'));
          }
        },
      },
      label,
    );
  const buttons = el(
    'div.choices',
    null,
    copy(t('share.link'), () => location.origin + location.pathname + linkOf(game)),
    copy(t('share.moves'), () =>
      game
        .line()
        .slice(1)
        .map((node) => node.move)
        .join(' '),
    ),
    copy('SGF', () => recordOf(app)),
  );
  return { parts: [el('h3', null, t('share.copy')), buttons, field, message], tell };
}

/** The record of the game. An imported game without changes is written as it was read. @param {App} app */
function recordOf(app) {
  const { game } = app;
  const withValues = /** @type {HTMLInputElement | null} */ (document.getElementById('with-record'))?.checked ?? true;
  const { seats } = game;
  const name = (/** @type {import('../../record/game.js').Seat} */ seat) => t(seat === 'you' ? 'you' : 'app.name');
  const names = seats.first === seats.second ? {} : { first: name(seats.first), second: name(seats.second) };
  return exportSgf(game, { names, values: withValues });
}

/** The part of the dialog that saves files. @param {App} app @param {(words: string) => void} tell */
function savePart(app, tell) {
  const scale = select(
    'scale',
    [
      ['1', '1×'],
      ['2', '2×'],
      ['4', '4×'],
    ],
    '2',
  );
  scale.setAttribute('aria-label', t('share.scale'));
  const parts = /** @type {const} */ (['coords', 'numbers', 'discs']);
  const check = (/** @type {string} */ name, checked = true) =>
    el('label.check', null, el('input', { type: 'checkbox', checked, id: `with-${name}` }), t(`with.${name}`));
  const without = () => parts.filter((name) => !(/** @type {HTMLInputElement} */ (document.getElementById(`with-${name}`)).checked));
  /** @param {string} kind @param {string} type @param {() => Promise<BlobPart>} make */
  const picture = (kind, type, make) =>
    el(
      'button',
      { type: 'button', 'data-save': kind, onclick: async () => saveFile(tell, fileName(app.game, kind), await make(), type) },
      kind.toUpperCase(),
    );
  const pictures = [
    picture('svg', 'image/svg+xml', async () => boardSvg(app.board, without())),
    picture('png', 'image/png', () => boardPng(app.board, Number(scale.value), without())),
    picture('gif', 'image/gif', async () => {
      tell(t('gif.making'));
      return movingPicture(app, 1, without());
    }),
  ];
  const sgf = el(
    'button',
    { type: 'button', 'data-save': 'sgf', onclick: () => saveFile(tell, fileName(app.game, 'sgf'), recordOf(app), 'application/x-go-sgf') },
    'SGF',
  );
  return [
    el('h3', null, t('share.save')),
    el('div.choices', null, sgf, ...pictures, scale),
    el('div.checks', null, ...parts.map((name) => check(name)), check('record', app.game.reviewed || !app.game.original)),
  ];
}

/**
 * The dialog of sharing and importing. A text or a file that `opens` is shown immediately, if it is a game.
 * @param {App} app @param {{ text?: string, file?: File, opens?: boolean }} [given]
 */
export async function content(app, { text = '', file, opens = false } = {}) {
  const field = /** @type {HTMLTextAreaElement} */ (
    el('textarea', { id: 'import', rows: 4, spellcheck: 'false', 'aria-describedby': 'importhelp importfault' })
  );
  const errorLine = el('p.reason', { id: 'importfault', role: 'alert' });
  /** Runs `f` and shows an error of the text. @param {() => void | Promise<void>} f */
  const trying = async (f) => {
    try {
      await f();
    } catch (error) {
      setText(errorLine, error instanceof ImportError ? error.message : String(error));
      field.focus();
    }
  };
  const load = () => void trying(() => importText(app, field.value));
  const take = (/** @type {File | undefined} */ one, open = true) =>
    trying(async () => {
      if (!one) return;
      field.value = await textOf(app, one);
      if (open) importText(app, field.value);
    });
  field.value = text;
  if (file) await take(file, opens);
  else if (opens) await trying(() => importText(app, text));
  if (opens && !errorLine.textContent) return null;
  const choose = /** @type {HTMLInputElement} */ (
    el('input', { id: 'importfile', type: 'file', accept: '.sgf,.txt,.lib,.psq,.pgn,.jsonl', onchange: () => void take(choose.files?.[0]) })
  );
  field.addEventListener('dragover', (event) => event.preventDefault());
  field.addEventListener('drop', (event) => {
    if (event.dataTransfer?.files.length) {
      event.preventDefault();
      void take(event.dataTransfer.files[0]);
    }
  });
  const copies = copyPart(app);
  return {
    describedBy: 'importhelp',
    focus: field.value ? '[data-load]' : undefined,
    parts: [
      el(
        'div.form',
        null,
        ...copies.parts,
        ...savePart(app, copies.tell),
        el('h3', null, el('label', { for: 'import' }, t('share.import'))),
        el('p.hintline', { id: 'importhelp' }, t('import.help')),
        field,
        errorLine,
        el(
          'div.buttons',
          null,
          el('label.file', null, choose, el('span', null, t('import.file'))),
          el('button.primary', { type: 'button', 'data-load': '', onclick: load }, t('import.load')),
        ),
      ),
    ],
  };
}
