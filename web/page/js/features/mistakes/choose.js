//! The dialog of the user's mistakes: how many cards there are and are due, practice, and files.

import { close } from '../../base/dialog.js';
import { saveFile } from '../../base/save.js';
import { el, setText, t } from '../../base/text.js';
import { questionOf } from './mistakes.js';
import * as store from './store.js';

/** @typedef {import('../../app/app.js').App} App */

/** Loads the feature. The first load has no room for it, so it is registered here. @param {App} app */
export function register(app) {
  app.known.mistakes ??= { styles: ['features/ending/ending'], load: () => import('./mistakes.js') };
  return app.load('mistakes');
}

/** The dialog. With a line of a reviewed game nothing is shown: the blunders of a side become cards. @param {App} app @param {{ line: import('../../record/game.js').Node[], side: import('../../record/game.js').Side, quiet: boolean }} [reviewed] */
export async function content(app, reviewed) {
  const feature = await register(app);
  if (reviewed) {
    feature.collect(reviewed);
    return null;
  }
  const message = el('p.hintline', { id: 'mistakescount', role: 'status' });
  const fault = el('p.reason', { id: 'mistakesfault' });
  const start = /** @type {HTMLButtonElement} */ (
    el(
      'button.primary',
      {
        type: 'button',
        id: 'mistakesstart',
        onclick: () => {
          close();
          void feature.next();
        },
      },
      t('new.start'),
    )
  );
  const save = (/** @type {string} */ name, /** @type {string} */ text) => {
    saveFile(name, text, 'text/plain');
    setText(message, t('saved', { name }));
  };
  const saving = (/** @type {string} */ key, /** @type {string} */ name, /** @type {(cards: store.Card[]) => string} */ write) =>
    el('button', { type: 'button', id: `mistakes${key}`, onclick: () => save(name, write(store.stored().cards)) }, t(`mistakes.${key}`));
  const address = location.origin + location.pathname;
  const files = [
    saving('save', 'tengen-mistakes.jsonl', store.textOf),
    saving('anki', 'tengen-mistakes-anki.txt', (cards) => store.ankiText(cards, address, questionOf)),
  ];
  const draw = () => {
    const read = store.stored();
    const { cards } = read;
    const due = store.dueCards(cards, Date.now()).length;
    setText(message, cards.length ? `${t('mistakes.count', { n: cards.length })}, ${t('mistakes.due', { n: due })}` : t('mistakes.none'));
    start.disabled = !due;
    setText(fault, feature.faultOf(read));
    for (const button of files) /** @type {HTMLButtonElement} */ (button).disabled = !cards.length;
  };
  const choose = /** @type {HTMLInputElement} */ (
    el('input', {
      id: 'mistakesfile',
      type: 'file',
      accept: '.jsonl,.txt',
      onchange: async () => {
        const file = choose.files?.[0];
        if (!file) return;
        const before = store.stored().cards.length;
        const text = feature.take(store.readCards(await file.text()));
        draw();
        setText(message, text || t('mistakes.added', { n: store.stored().cards.length - before }));
      },
    })
  );
  draw();
  return {
    describedBy: 'mistakeshelp',
    parts: [
      el('p.hintline', { id: 'mistakeshelp' }, t('mistakes.help')),
      message,
      fault,
      el('div.choices', null, ...files, el('label.file', null, choose, el('span', null, t('mistakes.open')))),
      el('div.buttons', null, el('button', { type: 'button', onclick: close }, t('close')), start),
    ],
  };
}
