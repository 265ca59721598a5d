//! The dialog that asks for a server's token.

import { close, field } from '../base/dialog.js';
import { el, storeItem, t } from '../base/text.js';

/** @typedef {import('../app/app.js').App} App */

/** Connects with a token, and keeps it for the tab. @param {App} app @param {string} token */
function use(app, token) {
  app.client.token = token;
  storeItem('session', 'tengen.token', token);
  app.client.connect();
}

/** Asks for the token, unless the address has it: the server prints such a link. @param {App} app */
export async function content(app) {
  const [, given] = /^#token=([\w-]+)/.exec(location.hash) ?? [];
  if (given) {
    history.replaceState(null, '', location.pathname);
    use(app, given);
    return null;
  }
  const input = /** @type {HTMLInputElement} */ (el('input', { id: 'token', type: 'password', autocomplete: 'off', required: true }));
  return {
    describedBy: 'tokenwhy',
    parts: [
      el(
        'form',
        {
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            close();
            use(app, input.value.trim());
          },
        },
        el('p', { id: 'tokenwhy' }, t(app.client.room ? 'room.gone' : 'token.why'), app.client.room && ` ${t('token.why')}`),
        field('token', t('token'), input),
        el('div.buttons', null, el('button.primary', { type: 'submit' }, t('token.use'))),
      ),
    ],
  };
}
