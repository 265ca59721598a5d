//! Folds the cards of the panel, and keeps which are folded.

import { el, icon, setAttribute, t } from '../../base/text.js';

/** @typedef {import('../../app/app.js').App} App */

/** The name of a card in the settings: its id, or its own class. @param {Element} card */
const nameOf = (card) => card.id || (card.classList[1] ?? '');

/** @param {App} app */
export function mount(app) {
  const folded = () => new Set(app.settings.folded.split(' ').filter(Boolean));
  const toggle = (/** @type {string} */ name) => {
    const all = folded();
    if (!all.delete(name)) all.add(name);
    app.set('folded', [...all].join(' '));
  };
  return {
    paint() {
      const all = folded();
      for (const head of document.querySelectorAll('#panel .card:not(.ending) > h2')) {
        const card = /** @type {HTMLElement} */ (head.parentElement);
        const name = nameOf(card);
        let button = card.querySelector(':scope > .folder');
        if (!button) {
          button = el('button.link.folder', { type: 'button', onclick: () => toggle(name) }, icon('fold', 'M6 8l4 4 4-4'));
          head.before(button);
        }
        setAttribute(button, 'aria-label', t('fold', { name: head.textContent ?? '' }));
        setAttribute(button, 'aria-expanded', !all.has(name));
        card.classList.toggle('folded', all.has(name));
      }
    },
  };
}
