//! The dialog with the links of a room: for the friend, also as a QR code, and for people who look on.

import { copy } from '../../base/copy.js';
import { close, field } from '../../base/dialog.js';
import { el, setText, svg, t } from '../../base/text.js';

/** @typedef {import('../../app/app.js').App} App */

/** The light margin of a QR code, in modules: readers need it. */
const MARGIN = 4;

/** Draws a QR code. @param {string[]} rows `1` is dark */
function picture(rows) {
  const size = rows.length + 2 * MARGIN;
  const dark = rows.flatMap((row, y) => [...row].flatMap((module, x) => (module === '1' ? [`M${x + MARGIN} ${y + MARGIN}h1v1h-1z`] : [])));
  return svg(
    'svg',
    { class: 'qr', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': t('room.qr') },
    svg('path', { d: `M0 0h${size}v${size}h-${size}z`, fill: '#fff' }),
    svg('path', { d: dark.join(''), fill: '#000' }),
  );
}

/** @param {App} app */
export async function content(app) {
  /** @type {import('./room.js').Links | undefined} */
  const links = app.feature('room')?.links;
  if (!links) return null;
  const message = el('p.hintline', { role: 'status' });
  const row = (/** @type {string} */ id, /** @type {string} */ secret) => {
    const input = /** @type {HTMLInputElement} */ (el('input', { id, readonly: true, value: `${links.page}#room=${secret}` }));
    const label = t(`room.${id}`);
    return field(
      id,
      label,
      input,
      el(
        'button',
        {
          type: 'button',
          'aria-label': `${t('share.copy')}: ${label}`,
          onclick: async () => setText(message, t((await copy(input)) ? 'copied' : 'copy.refused')),
        },
        t('share.copy'),
      ),
    );
  };
  const isLocal = /^https?:\/\/(127\.|localhost|\[::1\])/.test(links.page);
  return {
    describedBy: 'roomhelp',
    focus: '#friendlink',
    parts: [
      el(
        'div.form.room',
        null,
        el('p.hintline', { id: 'roomhelp' }, t('room.help')),
        ...(isLocal ? [el('p.reason', null, t('room.local'))] : []),
        row('friendlink', links.friend),
        ...(links.qr.length ? [/** @type {any} */ (picture(links.qr))] : []),
        row('watchlink', links.watch),
        message,
        el('div.buttons', null, el('button.primary', { type: 'button', onclick: close }, t('close'))),
      ),
    ],
  };
}
