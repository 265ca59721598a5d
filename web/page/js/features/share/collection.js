//! The dialog of a file with several games: a list with players and results, and a search.

import { close } from '../../base/dialog.js';
import { el, setText, t } from '../../base/text.js';

/** @typedef {import('../../record/collection.js').Entry} Entry */

/** How many games are listed; a search finds the others. */
const LISTED = 200;

/** What is searched and shown of a game. @param {Entry} entry @param {number} n its number from 0 */
const wordsOf = ({ first, second, result, event, date }, n) => [
  `${n + 1}. ${first || second ? `${first || '?'} – ${second || '?'}` : t('collection.game', { number: n + 1 })}`,
  [result, date, event].filter(Boolean).join(', '),
];

/** Whether a text has all words: digits at the begin of a word, other signs anywhere. @param {string} text @param {string[]} wanted */
const isFound = (text, wanted) => wanted.every((word) => (/^\d/.test(word) ? ` ${text}`.includes(` ${word}`) : text.includes(word)));

/**
 * @param {import('../../app/app.js').App} _app
 * @param {{ games: Entry[], open: (entry: Entry, number: number) => void }} given
 */
export function content(_app, { games, open }) {
  const rows = games.map((entry, n) => ({ entry, n, words: wordsOf(entry, n) }));
  const list = el('ol.collection');
  const count = el('p.hintline', { id: 'collectioncount', role: 'status' });
  const field = /** @type {HTMLInputElement} */ (el('input', { id: 'collectionsearch', type: 'search', oninput: () => draw() }));
  const draw = () => {
    const wanted = field.value.toLowerCase().split(/\s+/);
    const found = rows.filter(({ words }) => isFound(words.join(' ').toLowerCase(), wanted));
    setText(count, t('collection.count', { n: found.length }));
    list.replaceChildren(
      ...found.slice(0, LISTED).map(({ entry, n, words: [title, more] }) => {
        const act = () => {
          close();
          open(entry, n + 1);
        };
        return el('li', null, el('button.link', { type: 'button', 'data-entry': n, onclick: act }, title ?? ''), el('span', null, more));
      }),
    );
  };
  draw();
  return {
    describedBy: 'collectioncount',
    focus: '#collectionsearch',
    parts: [
      el('div.field', null, el('label', { for: 'collectionsearch' }, t('collection.search')), field),
      count,
      el('div.scroll', { tabindex: 0, role: 'group', 'aria-label': t('dialog.collection') }, list),
    ],
  };
}
