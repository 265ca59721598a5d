//! The dialog that lists the keys.

import { el, t } from '../base/text.js';

/** The list of keys: keys, and the name of what they do. */
const KEYS = /** @type {[string, string][]} */ ([
  ['← ↑ → ↓', 'move'],
  ['Enter', 'play'],
  ['H 8', 'type'],
  ['Esc', 'escape'],
  ['Home End', 'ends'],
  ['PageUp PageDown', 'steps'],
  ['Ctrl+Home Ctrl+End', 'first'],
  ['Ctrl+↑ Ctrl+↓', 'variation'],
  ['Backspace', 'undo'],
  ['Ctrl+Z Ctrl+Y', 'undoredo'],
  ['Shift+L', 'last'],
  ['Shift+C', 'clocks'],
  ['Shift+V', 'value'],
  ['Shift+F', 'forbidden'],
  ['Shift+X', 'lines'],
  ['Shift+S', 'rows'],
  ['Shift+H', 'hint'],
  ['Shift+A', 'analysis'],
  ['Shift+M', 'mistake'],
  ['Shift+T', 'threats'],
  ['Tab', 'leave'],
  ['?', 'help'],
]);

/** The dialog that lists the keys. */
export function content() {
  return {
    describedBy: 'keyfield',
    parts: [
      el(
        'table.keys',
        { 'aria-labelledby': 'dialogtitle' },
        el(
          'tbody',
          null,
          ...KEYS.map(([key, name]) =>
            el(
              'tr',
              null,
              el('th', { scope: 'row' }, ...key.split(' ').flatMap((part) => [el('kbd', null, part), ' ']), el('span.sr', null, ': ')),
              el('td', null, t(`key.${name}`)),
            ),
          ),
        ),
      ),
      el('p', { id: 'keyfield' }, t('keys.field')),
    ],
  };
}
