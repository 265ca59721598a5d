//! The dialog of the open games: those of all files that were opened, with players and results, and a search.

import { close } from '../../base/dialog.js';
import { el, setText, t } from '../../base/text.js';
import { isFound, openGames } from '../../record/collection.js';
import { openEntry } from './read.js';

/** @typedef {import('../../record/collection.js').Open} Open */

/** How many games are listed; a search finds the others. */
const LISTED = 200;

/** What is searched and shown of a game. @param {Open} entry @param {boolean} named whether the name of its file is shown @returns {[string, string]} */
const wordsOf = ({ first, second, result, event, date, number, name }, named) => [
  `${number}. ${first || second ? `${first || '?'} – ${second || '?'}` : t('collection.game', { number })}`,
  [result, date, event, named && name].filter(Boolean).join(', '),
];

/** @param {import('../../app/app.js').App} app */
export function content(app) {
  const games = openGames();
  const named = new Set(games.map(({ file }) => file)).size > 1;
  const rows = games.map((entry) => ({ entry, words: wordsOf(entry, named) }));
  const list = el('ol.collection');
  const count = el('p.hintline', { id: 'collectioncount', role: 'status' });
  const field = /** @type {HTMLInputElement} */ (el('input', { id: 'collectionsearch', type: 'search', oninput: () => draw() }));
  const draw = () => {
    const found = rows.filter(({ words }) => isFound(words.join(' '), field.value));
    setText(count, t('collection.count', { n: found.length }));
    list.replaceChildren(
      ...found.slice(0, LISTED).map(({ entry, words: [title, more] }) => {
        const act = () => {
          close();
          openEntry(app, entry);
        };
        const current = entry.game?.id === app.game.id ? 'true' : null;
        return el('li', null, el('button.link', { type: 'button', 'aria-current': current, onclick: act }, title), el('span', null, more));
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
