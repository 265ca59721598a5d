//! The dialog that continues a game against the engine, or between two people, from the position shown.

import { close, field, radios } from '../base/dialog.js';
import { el, setText, t } from '../base/text.js';

/** @typedef {import('../app/app.js').App} App */
/** @typedef {import('../record/game.js').Seat} Seat */

/** @param {App} app */
export function content(app) {
  const { game } = app;
  const node = game.shown;
  /** @type {[string, string][]} */
  const sides = [
    ['first', app.sideName('first')],
    ['second', app.sideName('second')],
    ['both', t('seat.both')],
  ];
  const seats = radios('side', t('new.seats'), sides, node.turn, () => {
    levelField.hidden = chosen() === 'both';
  });
  const level = /** @type {HTMLInputElement} */ (
    el('input', { id: 'fromlevel', type: 'range', min: 0, max: 10, value: game.level, oninput: showLevel })
  );
  const words = el('output', { for: 'fromlevel', 'aria-live': 'off' });
  const levelField = field('fromlevel', t('new.level'), level, words);
  const chosen = () => /** @type {HTMLInputElement | null} */ (seats.querySelector(':checked'))?.value ?? node.turn;
  function showLevel() {
    setText(words, `${level.value} – ${t(`level.${level.value}`)}`);
    level.setAttribute('aria-valuetext', words.textContent ?? '');
  }
  const seat = (/** @type {string} */ side) => /** @type {Seat} */ (chosen() === side || chosen() === 'both' ? 'you' : 'engine');
  showLevel();
  const form = el(
    'form',
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        close();
        const players = { first: seat('first'), second: seat('second') };
        void app.loaded(app.loadPlay()).then(async (play) => {
          if (!play) return;
          play.playOn(node, players, Number(level.value));
          await app.setMode('play');
        });
      },
    },
    el('p.hintline', { id: 'fromhelp' }, t('playfrom.help', { move: node.ply })),
    seats,
    levelField,
    el(
      'div.buttons',
      null,
      el('button', { type: 'button', onclick: close }, t('cancel')),
      el('button.primary', { type: 'submit' }, t('new.start')),
    ),
  );
  return { parts: [form], describedBy: 'fromhelp' };
}
