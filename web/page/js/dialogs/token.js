//! The dialog that asks for a server's token.

import { close, field } from '../base/dialog.js';
import { el, storeItem, t } from '../base/text.js';

/** @typedef {import('../app/app.js').App} App */

/** @param {App} app */
export function content(app) {
  const input = /** @type {HTMLInputElement} */ (el('input', { id: 'token', type: 'password', autocomplete: 'off', required: true }));
  return {
    describedBy: 'tokenwhy',
    parts: [
      el(
        'form',
        {
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            app.client.token = input.value.trim();
            storeItem('session', 'tengen.token', app.client.token);
            close();
            app.client.connect();
          },
        },
        el('p', { id: 'tokenwhy' }, t('token.why')),
        field('token', t('token'), input),
        el('div.buttons', null, el('button.primary', { type: 'submit' }, t('token.use'))),
      ),
    ],
  };
}
