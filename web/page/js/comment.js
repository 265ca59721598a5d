//! The dialog that edits the comment of a move.

import { moveText } from './game.js';
import { el, loadStyle, t } from './text.js';
import { show } from './dialog-shell.js';

/** @param {import('./main.js').App} app @param {import('./game.js').Node} node */
export async function openComment(app, node) {
  await loadStyle('dialogs');
  const text = /** @type {HTMLTextAreaElement} */ (el('textarea', { id: 'comment', rows: 5, 'aria-label': t('menu.comment') }));
  text.value = node.comment;
  const dialog = /** @type {HTMLDialogElement} */ (el('dialog', { 'aria-labelledby': 'dialogtitle' },
    el('h2', { id: 'dialogtitle' }, `${t('menu.comment')}: ${node.ply} ${moveText(node.move)}`),
    el('form', {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        node.comment = text.value.trim();
        app.game.changes++;
        dialog.close();
        app.refresh();
        void app.save();
      },
    }, text, el('div.buttons', null, el('button', { type: 'button', onclick: () => dialog.close() }, t('cancel')), el('button.primary', { type: 'submit' }, t('done'))))));
  await show(dialog, 'textarea');
}
