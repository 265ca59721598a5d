//! The desk: what a person changes in the shelf of a server with `--edit`: headers of games, comments, labels, trees of
//! variations. Each change can be undone. A change is refused if somebody has changed the shelf since it was shown.

import { close, field, open, select } from '../../base/dialog.js';
import { el, loadRest, loadStyle, storedItem, storeItem, t } from '../../base/text.js';

/** @typedef {import('../../protocol/types.js').Query} Query */
/** @typedef {{ number: number, at: string, what: string }} Change */
/** @typedef {{ text: string | null, label: string | null, author: string | null, at: string | null, number: number | null, tree: number | null }} Note */
/** @typedef {{ game: number, first: string | null, second: string | null, event: string | null, round: string | null, date: string | null, result: string | null, opening: string | null }} Game */
/** What the desk is about. @typedef {{ app: import('../../app/app.js').App, ask: () => void }} Explorer */

/** How many changes are listed. */
const LISTED = 10;
/** The name of the author in the browser's storage. */
const AUTHOR = 'tengen.author';
/** The results, as the shelf writes them and as it reads them. */
const RESULTS = /** @type {[string, string][]} */ ([
  ['', '*'],
  ['first', '1-0'],
  ['draw', '1/2-1/2'],
  ['second', '0-1'],
]);

export class Desk {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.app = explorer.app;
    /** The number of the last change when the shelf was shown. */
    this.last = 0;
    /** What was done last, with the number of that change, or of the one that was taken back. @type {{ text: string, number?: number, undone?: number }} */
    this.said = { text: '' };
    /** Whether the list of changes is open. */
    this.isOpen = false;
  }

  /** Returns the controls of the position shown. @param {{ last_change: number }} known */
  parts({ last_change: last }) {
    this.last = last;
    const { ply } = this.app.game.shown;
    const button = (/** @type {string} */ name, /** @type {() => void} */ act) =>
      el('button', { type: 'button', 'data-desk': name, onclick: act }, t(`desk.${name}`));
    const about = [
      ply > 0 && button('add', () => this.edit({})),
      ply > 0 && button('remove', () => this.edit({ remove: true })),
      ply > 0 && button('label', () => this.label()),
      button('comment', () => this.write(null)),
    ];
    const { text, number, undone } = this.said;
    const undo = number === last && el('button', { type: 'button', 'data-desk': 'undo', onclick: () => this.undo(last) }, t('undo'));
    // Numbers of changes only grow: a later one would end this.
    const redo =
      undone !== undefined && last < undone && el('button', { type: 'button', 'data-desk': 'redo', onclick: () => this.redo() }, t('redo'));
    return [
      el('h3', null, t('desk')),
      el('div.desk', null, ...about),
      el('div.desk', null, el('p', { role: 'status', 'data-desk': 'said' }, text), undo, redo),
      this.changes(),
    ];
  }

  /** Returns the list of the last changes, which is asked for when it is opened. */
  changes() {
    const list = el('ul.changes');
    const fill = () =>
      void this.app.client.reply({ action: 'changes', limit: LISTED }).then((reply) => this.list(list, reply), this.failed);
    const details = /** @type {HTMLDetailsElement} */ (
      el(
        'details',
        {
          ontoggle: () => {
            this.isOpen = details.open;
            if (details.open) fill();
          },
        },
        el('summary', null, t('desk.changes')),
        list,
      )
    );
    details.open = this.isOpen;
    return details;
  }

  /** @param {HTMLElement} list @param {import('../../protocol/types.js').Reply} reply */
  list(list, reply) {
    const changes = /** @type {Change[]} */ (/** @type {unknown} */ (reply.list));
    const line = (/** @type {Change} */ { number, at, what }, /** @type {number} */ place) =>
      el(
        'li',
        null,
        `${at} ${what} `,
        place === 0 && el('button.link', { type: 'button', 'data-undo': number, onclick: () => this.undo(number) }, t('undo')),
      );
    list.replaceChildren(...(changes.length ? changes.map(line) : [el('li', null, t('desk.none'))]));
  }

  /** Returns a comment of a person, with who wrote it, and the buttons that change it. @param {Note} note */
  note(note) {
    const { number, tree, text } = note;
    const isOwn = number !== null || (tree !== null && text !== null);
    const act = (/** @type {string} */ key, /** @type {() => void} */ run) =>
      el('button.link', { type: 'button', 'aria-label': `${t(key)}: ${text ?? note.label}`, onclick: run }, t(key));
    return isOwn ? [' ', act('desk.change', () => this.write(note)), ' ', act('delete', () => this.save(note, '', ''))] : [];
  }

  /** Returns the button that opens the headers of a game. @param {Game} game @param {string} title */
  gameButton(game, title) {
    const label = t('desk.gameof', { game: title });
    return el(
      'button.link',
      { type: 'button', 'data-game': game.game, 'aria-label': label, onclick: () => this.headers(game, title) },
      '✎',
    );
  }

  /** Changes the shelf. Returns whether it was changed. @param {Query} query @param {HTMLElement} [status] where an error is shown; without it: in the panel */
  async send(query, status) {
    try {
      const reply = await this.app.client.reply(query);
      const change = /** @type {Change | null} */ (/** @type {any} */ (reply).change);
      const isUndo = query.action === 'undo';
      const text = t(isUndo ? 'desk.undone' : change ? 'desk.saved' : 'desk.same');
      this.said = { text, ...(change && { [isUndo ? 'undone' : 'number']: change.number }) };
      this.explorer.ask();
      return true;
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      if (status) status.textContent = message;
      else this.said = { text: message };
      // The next try is about the shelf as it is now.
      this.explorer.ask();
      return false;
    }
  }

  failed = (/** @type {Error} */ error) => this.app.fail(error.message);

  /** The position shown, as a part of a query. */
  place() {
    const { game } = this.app;
    return { ...game.query(game.shown), last_change: this.last };
  }

  /** Changes the trees at the position shown. @param {Partial<Query>} what @param {HTMLElement} [status] */
  edit(what, status) {
    return this.send({ ...this.place(), action: 'edit_tree', ...what }, status);
  }

  /** @param {number} change */
  undo(change) {
    void this.send({ action: 'undo', change });
  }

  /** Makes the change again that was taken back last. */
  redo() {
    void this.send({ action: 'redo' });
  }

  /** Asks for the label of the last move's point. */
  label() {
    const input = /** @type {HTMLInputElement} */ (el('input', { id: 'desklabel', maxlength: 60 }));
    this.form('label', t('desk.label'), [field('desklabel', t('explorer.label'), input)], (status) =>
      this.edit({ label: input.value.trim() }, status),
    );
  }

  /** Writes a comment, or changes one. @param {Note | null} note */
  write(note) {
    const isOfTree = note !== null && note.tree !== null;
    const text = /** @type {HTMLTextAreaElement} */ (el('textarea', { id: 'desktext', rows: 6, maxlength: 10_000 }));
    const label = /** @type {HTMLInputElement} */ (el('input', { id: 'desklabel', maxlength: 60, value: note?.label ?? '' }));
    const author = /** @type {HTMLInputElement} */ (
      el('input', { id: 'deskauthor', maxlength: 60, value: storedItem('local', AUTHOR) ?? '' })
    );
    text.value = note?.text ?? '';
    const parts = [
      field('desktext', t('desk.text'), text),
      ...(isOfTree ? [] : [field('desklabel', t('explorer.label'), label)]),
      ...(note ? [] : [field('deskauthor', t('desk.author'), author)]),
    ];
    this.form('comment', t(note ? 'desk.change' : 'desk.comment'), parts, (status) => {
      if (!note) storeItem('local', AUTHOR, author.value.trim());
      return this.save(note, text.value.trim(), label.value.trim(), author.value.trim(), status);
    });
  }

  /** Saves a comment. @param {Note | null} note the comment to change @param {string} text @param {string} label @param {string} [author] @param {HTMLElement} [status] */
  save(note, text, label, author, status) {
    if (note && note.tree !== null) return this.edit({ tree: note.tree, comment: text }, status);
    const { last: last_change } = this;
    if (note && note.number !== null) return this.send({ action: 'comment', number: note.number, text, label, last_change }, status);
    const given = { ...(text && { text }), ...(label && { label }), ...(author && { author }) };
    return this.send({ ...this.place(), action: 'comment', ...given }, status);
  }

  /** Asks for the headers of a game. @param {Game} game @param {string} title */
  headers(game, title) {
    const names = /** @type {const} */ (['first', 'second', 'event', 'round', 'date', 'opening']);
    const inputs = names.map(
      (name) => /** @type {HTMLInputElement} */ (el('input', { id: `desk${name}`, maxlength: 400, value: game[name] ?? '' })),
    );
    const before = game.result ?? '';
    const result = select(
      'deskresult',
      RESULTS.map(([key, text]) => [key, text]),
      before,
    );
    const parts = names.map((name, n) => field(`desk${name}`, t(`desk.${name}`), /** @type {HTMLInputElement} */ (inputs[n])));
    const games = [game.game];
    const remove = (/** @type {HTMLElement} */ status) => this.send({ action: 'delete_games', games, last_change: this.last }, status);
    const save = (/** @type {HTMLElement} */ status) => {
      const texts = names.map((name, n) => /** @type {const} */ ([name, inputs[n]?.value.trim() ?? '']));
      /** @type {Record<string, string>} */
      const headers = Object.fromEntries(texts.filter(([name, text]) => text !== (game[name] ?? '')));
      if (result.value !== before) headers.result = RESULTS.find(([key]) => key === result.value)?.[1] ?? '*';
      if (!Object.keys(headers).length) return Promise.resolve(true);
      return this.send({ action: 'edit_games', games, headers, last_change: this.last }, status);
    };
    this.form('game', t('desk.gameof', { game: title }), [...parts, field('deskresult', t('col.result'), result)], save, remove);
  }

  /**
   * Opens a form in a dialog. It stays open while its change is refused.
   * @param {string} name @param {string} title @param {HTMLElement[]} parts @param {(status: HTMLElement) => Promise<boolean>} save
   * @param {(status: HTMLElement) => Promise<boolean>} [remove] deletes what the form is about
   */
  form(name, title, parts, save, remove) {
    const status = el('p.reason', { role: 'alert' });
    const run = async (/** @type {(status: HTMLElement) => Promise<boolean>} */ act) => {
      status.textContent = '';
      if (await act(status)) close();
    };
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void run(save);
    };
    const buttons = [
      remove && el('button', { type: 'button', onclick: () => void run(remove) }, t('desk.deletegame')),
      el('button', { type: 'button', onclick: close }, t('cancel')),
      el('button.primary', { type: 'submit' }, t('done')),
    ];
    const form = el('form', { onsubmit: submit }, ...parts, status, el('div.buttons', null, ...buttons));
    void Promise.all([loadStyle('dialogs/dialogs'), loadRest()]).then(() =>
      open(`desk-${name}`, { title, parts: [form], focus: 'input, textarea' }),
    );
  }
}
