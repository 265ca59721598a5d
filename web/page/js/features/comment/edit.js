//! The dialog that edits the comment of a move.

import { annotate } from '../../app/positions.js';
import { close } from '../../base/dialog.js';
import { el, t } from '../../base/text.js';
import { moveText } from '../../record/game.js';

/** @param {import('../../app/app.js').App} app @param {import('../../record/game.js').Node} [node] the move; without it: the one shown */
export function content(app, node = app.game.shown) {
  const text = /** @type {HTMLTextAreaElement} */ (el('textarea', { id: 'comment', rows: 5, 'aria-label': t('menu.comment') }));
  text.value = node.comment;
  const form = el(
    'form',
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        annotate(app, node, { comment: text.value.trim() });
        close();
      },
    },
    text,
    el(
      'div.buttons',
      null,
      el('button', { type: 'button', onclick: close }, t('cancel')),
      el('button.primary', { type: 'submit' }, t('done')),
    ),
  );
  return {
    title: `${t('menu.comment')}: ${node.move ? `${node.ply} ${moveText(node.move)}` : t('start')}`,
    parts: [form],
    focus: 'textarea',
  };
}
