//! The dialog of the games that the browser keeps: a list with a search, and all of them as one file.

import { close } from '../base/dialog.js';
import { saveFile } from '../base/save.js';
import { el, languageNow, setText, t } from '../base/text.js';
import { isFound } from '../record/collection.js';
import { exportSgf } from '../record/sgf.js';
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

/** Returns the games as one record, and how many of them cannot be read. @param {Saved[]} games */
function collectionOf(games) {
  const texts = games.flatMap((saved) => {
    try {
      const game = storage.unpack(saved);
      const { first, second } = game.seats;
      const name = (/** @type {string} */ seat) => t(seat === 'you' ? 'you' : 'app.name');
      return exportSgf(game, { names: first === second ? {} : { first: name(first), second: name(second) } }).trimEnd();
    } catch {
      return [];
    }
  });
  return { text: `${texts.join('\n')}\n`, lost: games.length - texts.length };
}

/** The row of a game. @param {App} app @param {Saved} saved @param {() => void} removed called when the game is deleted */
function rowOf(app, saved, removed) {
  const date = new Intl.DateTimeFormat(languageNow(), { dateStyle: 'medium', timeStyle: 'short' }).format(saved.time);
  const variant = saved.about?.variant ?? '';
  const isShown = saved.id === app.game.id;
  const act = () => {
    close();
    if (!isShown) void app.setMode('play').then(() => app.useGame(storage.unpack(saved), { undo: t('games.opened') }));
  };
  const open = el('button.link', { type: 'button', 'aria-current': isShown ? 'true' : null, 'data-game': saved.id, onclick: act }, date);
  const remove = el(
    'button.link',
    {
      type: 'button',
      'aria-label': t('games.delete', { date }),
      disabled: isShown,
      onclick: () => {
        storage.remove(localStorage, saved.id);
        removed();
      },
    },
    t('delete'),
  );
  const words = [variant ? t(`v.${variant}`) : '', playersOf(saved), t('played', { n: saved.about?.moves ?? 0 }), resultOf(saved)];
  const line = el('tr', null, el('th', { scope: 'row' }, open), ...words.map((text) => el('td', null, text)), el('td', null, remove));
  return { saved, line, words: [date, ...words].join(' ') };
}

/** @param {App} app */
function gamesOf(app) {
  try {
    return storage.all(localStorage).filter((saved) => (saved.about?.moves ?? 1) > 0);
  } catch {
    app.addLog(t('storage.refused'));
    return [];
  }
}

/** @param {App} app */
export function content(app) {
  const games = gamesOf(app);
  const help = el('p.hintline', { id: 'gameshelp' }, t(games.length ? 'games.help' : 'games.none', { n: storage.MAX_GAMES }));
  if (!games.length) return { describedBy: 'gameshelp', parts: [help] };
  const count = el('p.hintline', { id: 'gamescount', role: 'status' });
  const field = /** @type {HTMLInputElement} */ (el('input', { id: 'gamessearch', type: 'search', oninput: () => draw() }));
  let rows = games.map((saved) => {
    const row = rowOf(app, saved, () => {
      rows = rows.filter((one) => one !== row);
      row.line.remove();
      draw();
    });
    return row;
  });
  const draw = () => {
    for (const { line, words } of rows) line.hidden = !isFound(words, field.value);
    setText(count, t('collection.count', { n: rows.filter(({ line }) => !line.hidden).length }));
  };
  const save = () => {
    const { text, lost } = collectionOf(rows.map(({ saved }) => saved));
    const name = 'tengen-games.sgf';
    saveFile(name, text, 'application/x-go-sgf');
    setText(count, [t('saved', { name }), lost && t('games.unread', { n: lost })].filter(Boolean).join(' '));
  };
  const names = ['games.date', 'new.game', 'players', 'moves', 'col.result'];
  const head = el('thead', null, el('tr', null, ...names.map((name) => el('th', { scope: 'col' }, t(name))), el('td')));
  const table = el('table.games', null, head, el('tbody', null, ...rows.map(({ line }) => line)));
  draw();
  return {
    describedBy: 'gameshelp',
    parts: [
      help,
      el('div.field', null, el('label', { for: 'gamessearch' }, t('collection.search')), field),
      count,
      el('div.scroll', { tabindex: 0, role: 'group', 'aria-label': t('dialog.games') }, table),
      el('div.buttons', null, el('button', { type: 'button', id: 'gamessave', onclick: save }, t('games.save'))),
    ],
  };
}
