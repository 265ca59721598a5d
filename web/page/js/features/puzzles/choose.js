//! The dialog that chooses the variant and the grade of puzzles.

import { close, field, select } from '../../base/dialog.js';
import { el, t } from '../../base/text.js';
import { score } from './puzzles.js';

/** @typedef {import('../../app/app.js').App} App */

const VARIANTS = ['gomokufreestyle', 'gomoku', 'renju', 'cfour'];
const GRADES = ['easy', 'medium', 'hard'];

/** @param {App} app */
export function content(app) {
  // The first load has no room for the feature, so its dialog registers it.
  app.known.puzzles ??= { styles: ['features/ending/ending'], load: () => import('./puzzles.js') };
  const any = /** @type {[string, string]} */ (['', t('puzzles.any')]);
  const { variant } = app.game.shape;
  const variants = select(
    'puzzlevariant',
    [any, ...VARIANTS.map((name) => /** @type {[string, string]} */ ([name, t(`v.${name}`)]))],
    VARIANTS.includes(variant) ? variant : '',
  );
  const grades = select('puzzlegrade', [any, ...GRADES.map((name) => /** @type {[string, string]} */ ([name, t(`puzzles.${name}`)]))], '');
  const { streak, best } = score();
  const form = el(
    'form',
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        close();
        void app.loaded(app.load('puzzles')).then(() => app.feature('puzzles')?.next(variants.value, grades.value));
      },
    },
    el('p.hintline', { id: 'puzzleshelp' }, t('puzzles.help')),
    field('puzzlevariant', t('new.game'), variants),
    field('puzzlegrade', t('puzzles.grade'), grades),
    el('p.hintline', null, t('puzzles.streak', { n: streak, best })),
    el(
      'div.buttons',
      null,
      el('button', { type: 'button', onclick: close }, t('cancel')),
      el('button.primary', { type: 'submit' }, t('new.start')),
    ),
  );
  return { parts: [form], describedBy: 'puzzleshelp' };
}
