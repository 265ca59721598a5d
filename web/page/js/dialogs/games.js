//! The dialog of the games that the browser keeps.

import { close } from '../base/dialog.js';
import { el, languageNow, t } from '../base/text.js';
import * as storage from '../record/storage.js';

/** @typedef {import('../app/app.js').App} App */
/** @typedef {import('../record/storage.js').Saved} Saved */

/** Describes how a game stands. @param {Saved} saved */
function resultOf(saved) {
  const result = saved.rest.result ?? saved.rest.said;
  if (!result) return t('games.open');
  if (!result.winner) return t('draw');
  const { whiteFirst } = saved.rest;
  const gravity = saved.about?.gravity;
  const first = (result.winner === 'first') !== Boolean(whiteFirst);
  if (saved.about?.variant === 'tictactoe') return t('games.won', { side: first ? 'X' : 'O' });
  return t('games.won', { side: t(`side.${gravity ? (first ? 'r' : 'y') : first ? 'b' : 'w'}`) });
}

/** @param {Saved} saved */
function playersOf(saved) {
  const { seats } = saved.rest;
  const { first, second } = saved.about ?? {};
  if (first || second) return [first, second].filter(Boolean).join(' – ');
  if (seats.first === seats.second) return seats.first === 'you' ? t('seat.both') : t('app.name');
  return `${t('level', { level: saved.rest.level })}`;
}

/** @param {App} app */
export function content(app) {
  const date = new Intl.DateTimeFormat(languageNow(), { dateStyle: 'medium', timeStyle: 'short' });
  const row = (/** @type {Saved} */ saved) => {
    const variant = saved.about?.variant ?? '';
    const open = el(
      'button.link',
      {
        type: 'button',
        'aria-current': saved.id === app.game.id ? 'true' : null,
        'data-game': saved.id,
        onclick: () => {
          close();
          if (saved.id !== app.game.id)
            void app.setMode('play').then(() => app.useGame(storage.unpack(saved), { undo: t('games.opened') }));
        },
      },
      date.format(saved.time),
    );
    const remove = el(
      'button.link',
      {
        type: 'button',
        'aria-label': t('games.delete', { date: date.format(saved.time) }),
        disabled: saved.id === app.game.id,
        onclick: () => {
          storage.remove(localStorage, saved.id);
          line.remove();
        },
      },
      t('delete'),
    );
    const line = el(
      'tr',
      null,
      el('th', { scope: 'row' }, open),
      el('td', null, variant ? t(`v.${variant}`) : ''),
      el('td', null, playersOf(saved)),
      el('td', null, t('played', { n: saved.about?.moves ?? 0 })),
      el('td', null, resultOf(saved)),
      el('td', null, remove),
    );
    return line;
  };
  let games = /** @type {Saved[]} */ ([]);
  try {
    games = storage.all(localStorage).filter((saved) => (saved.about?.moves ?? 1) > 0);
  } catch {
    app.addLog(t('storage.refused'));
  }
  const names = ['games.date', 'new.game', 'players', 'moves', 'col.result'];
  const head = el('thead', null, el('tr', null, ...names.map((name) => el('th', { scope: 'col' }, t(name))), el('td')));
  return {
    describedBy: 'gameshelp',
    parts: [
      el('p.hintline', { id: 'gameshelp' }, t(games.length ? 'games.help' : 'games.none', { n: storage.MAX_GAMES })),
      ...(games.length
        ? [
            el(
              'div.scroll',
              { tabindex: 0, role: 'group', 'aria-label': t('dialog.games') },
              el('table.games', null, head, el('tbody', null, ...games.map(row))),
            ),
          ]
        : []),
    ],
  };
}
