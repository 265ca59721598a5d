//! Keeps the game: in the storage, in the link, and the same in two tabs; and over the back/forward cache.
//! Takes files that are dropped on the page.

import { loadRest, t } from './text.js';
import * as store from './store.js';

/** @typedef {import('./main.js').App} App */

/** The tab remembers its own game, so that two tabs can hold two games. */
const TAB = 'tengen.tab';

/** A link without the place in it. @param {string} hash */
const withoutPlace = (hash) => hash.replace(/&at=\d+/, '');

let listens = false;

/** Follows files that are dropped on the page, and disconnects while the page is away. @param {App} app */
export function listen(app) {
  if (listens) return;
  listens = true;
  addEventListener('pagehide', (event) => left(app, event.persisted));
  addEventListener('pageshow', (event) => { if (event.persisted) cameBack(app); });
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    const file = event.dataTransfer?.files[0];
    if (event.defaultPrevented || !file) return;
    event.preventDefault();
    void import('./dialogs.js').then((dialogs) => dialogs.dropped(app, file));
  });
}

/**
 * The page is left, perhaps for the back/forward cache. A browser keeps no page there whose socket is open.
 * Nobody sees the analysis; the engine's move is wanted still.
 * @param {App} app @param {boolean} persisted
 */
function left(app, persisted) {
  app.analysis?.stop();
  if (!persisted) app.client.leave();
  app.client.disconnect();
}

/** The page comes back from the cache. Meanwhile another page may have played on. @param {App} app */
function cameBack(app) {
  if (store.isStoredOther(localStorage, app.game)) adopt(app, app.game.id);
  app.client.connect();
}

/** Takes the game of the link, else of this tab, else the last one. @param {App} app */
export async function restore(app) {
  let saved = null;
  try {
    saved = store.restore(localStorage, sessionStorage.getItem(TAB));
  } catch (error) {
    app.record(String(error));
  }
  const { hash } = location;
  if (!saved || (hash.length > 1 && withoutPlace(store.linkOf(saved)) !== withoutPlace(hash))) return openLink(app, location.href);
  if (saved.swap) await app.openSwap(saved, false);
  app.game = saved;
  // Whether a move can be taken back is known only with the rules of play.
  void app.loadPlay().then(() => app.refresh());
}

/** Shows the game of a link. The address may have changed since the link came. @param {App} app @param {string} link */
export async function openLink(app, link) {
  const { hash } = new URL(link);
  if (hash.length < 2 || hash === store.linkOf(app.game)) return;
  try {
    const game = store.readLink(hash);
    game.seats = { first: 'you', second: 'you' };
    await app.useGame(game);
  } catch (error) {
    if (!(error instanceof store.LinkFault)) throw error;
    await loadRest();
    app.fault = t(error.key, error.values);
    app.fail(app.fault);
  }
}

/** Saves the game; where another tab was faster, its state is taken. @param {App} app */
export function save(app) {
  const { game } = app;
  try {
    if (!store.save(localStorage, game)) {
      adopt(app, game.id);
      return app.tell(t('othertab'));
    }
    sessionStorage.setItem(TAB, game.id);
    writeHash(app);
  } catch {
    app.record(t('storage.refused'));
  }
}

/** @param {App} app */
export function writeHash(app) {
  if (app.game.revision) history.replaceState(null, '', store.linkOf(app.game));
}

/** Another tab has saved. @param {App} app @param {StorageEvent} event */
export function otherTab(app, event) {
  const id = store.gameOfKey(event.key);
  if (id === app.game.id && store.isStoredOther(localStorage, app.game)) adopt(app, id);
}

/** Takes the state of the game that is in the storage. @param {App} app @param {string} id */
function adopt(app, id) {
  const saved = store.savedState(localStorage, id);
  if (!saved) return;
  app.client.cancel(app.search?.id);
  app.client.cancel(app.judgingId);
  Object.assign(app, { search: null, judging: null, clock: null });
  app.game = store.unpack(saved);
  if (app.opening) app.opening.game = app.game;
  app.show(app.game.shown);
}
