//! The dialog of further actions.

import { close } from '../base/dialog.js';
import { el, t } from '../base/text.js';
import { openGames } from '../record/collection.js';

/** @typedef {import('../app/app.js').App} App */

/** The actions, and the keys of their texts where they differ. @type {Record<string, string>} */
const ACTS = {
  redo: 'redo',
  swapsides: 'swapsides',
  resign: 'resign',
  playfrom: 'playfrom',
  threats: 'threats',
  games: 'dialog.games',
  collection: 'dialog.collection',
  puzzles: 'dialog.puzzles',
  mistakes: 'dialog.mistakes',
  repertoire: 'dialog.repertoire',
  share: 'share',
  edit: 'dialog.edit',
  language: 'language',
  theme: 'theme',
  settings: 'settings',
  keys: 'keys',
  welcome: 'welcome',
};

/** @param {App} app */
export function content(app) {
  const button = (/** @type {string} */ act) =>
    el(
      'button',
      {
        type: 'button',
        disabled: !app.can(act) || (act === 'collection' && !openGames().length),
        'data-more': act,
        onclick: () => {
          close();
          if (app.known[act]) void app.loaded(app.load(act)).then(() => app.run(act));
          else app.act(act);
        },
      },
      t(ACTS[act] ?? act),
    );
  const choices = el('div.choices', null, ...Object.keys(ACTS).map(button));
  // Only a server can have a shelf.
  if (app.client.isRemote && app.connection.state === 'open') {
    void app.client.reply({ action: 'query_version' }).then(
      ({ shelf }) => {
        if (shelf) choices.append(explorerButton(app));
      },
      () => {},
    );
  }
  return { parts: [choices] };
}

/** @param {App} app */
function explorerButton(app) {
  const open = () => {
    close();
    void app.loaded(app.load('explorer')).then((feature) => feature?.open());
  };
  return el('button', { type: 'button', 'data-more': 'explorer', onclick: open }, t('explorer'));
}
