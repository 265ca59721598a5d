//! The dialog of languages.

import { close } from '../base/dialog.js';
import { LANGUAGES, el, languageNow, t } from '../base/text.js';

/** @typedef {import('../app/app.js').App} App */

/** @param {App} app */
export function content(app) {
  const buttons = Object.entries(LANGUAGES).map(([tag, name]) =>
    el(
      'button',
      {
        type: 'button',
        lang: tag,
        'aria-pressed': String(tag === languageNow()),
        onclick: () => {
          app.set('language', tag);
          void app.loaded(app.useLanguage(tag));
          close();
        },
      },
      name,
    ),
  );
  return { parts: [el('div.choices', null, ...buttons)] };
}
