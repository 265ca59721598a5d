//! The dialog of sharing and importing: links, moves, records, pictures.

import { ImportError, textOf } from '../../app/files.js';
import { copy as copyField } from '../../base/copy.js';
import { el, setText, t } from '../../base/text.js';
import { select } from '../../base/dialog.js';
import { saveFile } from '../../base/save.js';
import { exportSgf } from '../../record/sgf.js';
import { linkOf } from '../../record/link.js';
import { boardPng, boardSvg } from '../../board/picture.js';
import { movingPicture } from './moving.js';
import { openTexts } from './read.js';

/** @typedef {import('../../app/app.js').App} App */

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
          field.hidden = false;
          field.value = make();
          field.hidden = await copyField(field);
          tell(t(field.hidden ? 'copied' : 'copy.refused'));
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
  const name = (/** @type {import('../../record/game.js').Seat} */ seat) => t(seat === 'engine' ? 'app.name' : seat);
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
  const save = (/** @type {string} */ kind, /** @type {BlobPart} */ data, /** @type {string} */ type) => {
    const name = fileName(app.game, kind);
    saveFile(name, data, type);
    tell(t('saved', { name }));
  };
  const parts = /** @type {const} */ (['coords', 'numbers', 'discs']);
  const check = (/** @type {string} */ name, checked = true) =>
    el('label.check', null, el('input', { type: 'checkbox', checked, id: `with-${name}` }), t(`with.${name}`));
  const without = () => parts.filter((name) => !(/** @type {HTMLInputElement} */ (document.getElementById(`with-${name}`)).checked));
  /** @param {string} kind @param {string} type @param {() => Promise<BlobPart>} make */
  const picture = (kind, type, make) =>
    el('button', { type: 'button', 'data-save': kind, onclick: async () => save(kind, await make(), type) }, kind.toUpperCase());
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
    { type: 'button', 'data-save': 'sgf', onclick: () => save('sgf', recordOf(app), 'application/x-go-sgf') },
    'SGF',
  );
  return [
    el('h3', null, t('share.save')),
    el('div.choices', null, sgf, ...pictures, scale),
    el('div.checks', null, ...parts.map((name) => check(name)), check('record', app.game.reviewed || !app.game.original)),
  ];
}

/**
 * The dialog of sharing and importing. A text or files that `opens` are shown immediately, if they are games.
 * @param {App} app @param {{ text?: string, files?: File[], opens?: boolean }} [given]
 */
export async function content(app, { text = '', files = [], opens = false } = {}) {
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
  const load = () => void trying(() => openTexts(app, [{ text: field.value, name: '' }]));
  const take = (/** @type {Iterable<File> | null} */ all, open = true) =>
    trying(async () => {
      const sources = [];
      for (const file of all ?? []) {
        field.value = await textOf(app, file);
        sources.push({ text: field.value, name: file.name });
      }
      if (open || sources.length > 1) openTexts(app, sources);
    });
  field.value = text;
  if (files.length) await take(files, opens);
  else if (opens) await trying(() => openTexts(app, [{ text, name: '' }]));
  if ((opens || files.length > 1) && !errorLine.textContent) return null;
  const choose = /** @type {HTMLInputElement} */ (
    el('input', {
      id: 'importfile',
      type: 'file',
      multiple: true,
      accept: '.sgf,.txt,.lib,.psq,.pgn,.jsonl',
      onchange: () => void take(choose.files),
    })
  );
  field.addEventListener('dragover', (event) => event.preventDefault());
  field.addEventListener('drop', (event) => {
    if (event.dataTransfer?.files.length) {
      event.preventDefault();
      void take(event.dataTransfer.files);
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
