//! The dialog that chooses the variant and the grade of puzzles.

import { close, field, select } from '../../base/dialog.js';
import { el, t } from '../../base/text.js';
import { score, today } from './score.js';

/** @typedef {import('../../app/app.js').App} App */

const VARIANTS = ['gomokufreestyle', 'gomoku', 'renju', 'cfour'];
const GRADES = ['easy', 'medium', 'hard'];

/** Loads the feature. The first load has no room for it, so it is registered here. @param {App} app */
export function register(app) {
  app.known.puzzles ??= { styles: ['features/ending/ending'], load: () => import('./puzzles.js') };
  return app.load('puzzles');
}

/** Returns the dialog; null if only the card is wanted. @param {App} app @param {boolean} [card] */
export async function content(app, card = false) {
  if (card) return register(app).then(() => null);
  const any = /** @type {[string, string]} */ (['', t('puzzles.any')]);
  const { variant } = app.game.shape;
  const variants = select(
    'puzzlevariant',
    [any, ...VARIANTS.map((name) => /** @type {[string, string]} */ ([name, t(`v.${name}`)]))],
    VARIANTS.includes(variant) ? variant : '',
  );
  const { streak, best, solved, rating, daily } = score();
  const grades = select(
    'puzzlegrade',
    [any, ...GRADES.map((name) => /** @type {[string, string]} */ ([name, t(`puzzles.${name}`)]))],
    solved.length ? '' : 'easy',
  );
  /** Opens a puzzle by the feature. @param {(puzzles: any) => void} act */
  const begin = (act) => {
    close();
    void app.loaded(register(app)).then((puzzles) => puzzles && act(puzzles));
  };
  const form = el(
    'form',
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        begin((puzzles) => puzzles.next(variants.value, grades.value));
      },
    },
    el('p.hintline', { id: 'puzzleshelp' }, t('puzzles.help')),
    field('puzzlevariant', t('new.game'), variants),
    field('puzzlegrade', t('puzzles.grade'), grades),
    el('p.hintline', null, `${t('puzzles.streak', { n: streak, best })} ${t('puzzles.rating', { n: rating })}`),
    el(
      'div.buttons',
      null,
      el('button', { type: 'button', onclick: close }, t('cancel')),
      el(
        'button',
        { type: 'button', id: 'puzzledaily', onclick: () => begin((puzzles) => puzzles.daily()) },
        t('puzzles.daily') + (daily === today() ? ' ✓' : ''),
      ),
      el('button.primary', { type: 'submit' }, t('new.start')),
    ),
  );
  return { parts: [form], describedBy: 'puzzleshelp' };
}
