//! Saves the game in the browser's storage and in the link and restores it, keeps two tabs with one game
//! equal, and handles the back/forward cache. Accepts files that are dropped on the page.

import { LinkError, linkOf, readLink } from './link.js';
import * as storage from './storage.js';
import { loadRest, t } from './text.js';

/** @typedef {import('./main.js').App} App */

/** The key of this tab's own game, so that two tabs can hold two games. */
const TAB_KEY = 'tengen.tab';

/** A link without the number of the move shown. @param {string} hash */
const withoutPly = (hash) => hash.replace(/&at=\d+/, '');

let isListening = false;

/** Listens to dropped files and to the back/forward cache. @param {App} app */
export function listen(app) {
  if (isListening) return;
  isListening = true;
  addEventListener('pagehide', (event) => pageHidden(app, event.persisted));
  addEventListener('pageshow', (event) => { if (event.persisted) pageRestored(app); });
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    const file = event.dataTransfer?.files[0];
    if (event.defaultPrevented || !file) return;
    event.preventDefault();
    void import('./dialogs.js').then((dialogs) => dialogs.dropped(app, file));
  });
}

/**
 * Called when the page is left. A browser caches no page with an open socket, so the page disconnects.
 * The analysis stops, but a search for the engine's move continues.
 * @param {App} app @param {boolean} persisted whether the page goes to the back/forward cache
 */
function pageHidden(app, persisted) {
  app.analysis?.stop();
  if (!persisted) app.client.leave();
  app.client.disconnect();
}

/** Called when the page comes back from the cache. Another tab may have changed the game. @param {App} app */
function pageRestored(app) {
  if (storage.storedDiffers(localStorage, app.game)) loadSaved(app, app.game.id);
  app.client.connect();
}

/** Loads the game of the link, else the game of this tab, else the last game. @param {App} app */
export async function restore(app) {
  let saved = null;
  try {
    saved = storage.restore(localStorage, sessionStorage.getItem(TAB_KEY));
  } catch (error) {
    app.addLog(String(error));
  }
  const { hash } = location;
  if (!saved || (hash.length > 1 && withoutPly(linkOf(saved)) !== withoutPly(hash))) return openLink(app, location.href);
  if (saved.swap) await app.openSwap(saved, false);
  app.game = saved;
  // The undo button needs `play.js`.
  void app.loadPlay().then(() => app.refresh());
}

/** Loads the game of a link, which may differ from the current address. @param {App} app @param {string} link */
export async function openLink(app, link) {
  const { hash } = new URL(link);
  if (hash.length < 2 || hash === linkOf(app.game)) return;
  try {
    const game = readLink(hash);
    game.seats = { first: 'you', second: 'you' };
    await app.useGame(game);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    await loadRest();
    app.linkError = t(error.key, error.values);
    app.fail(app.linkError);
  }
}

/** Saves the game. If another tab has saved a newer state, loads that state. @param {App} app */
export function save(app) {
  const { game } = app;
  try {
    if (!storage.save(localStorage, game)) {
      loadSaved(app, game.id);
      return app.tell(t('othertab'));
    }
    sessionStorage.setItem(TAB_KEY, game.id);
    writeHash(app);
  } catch {
    app.addLog(t('storage.refused'));
  }
}

/** Writes the link of the game into the address. @param {App} app */
export function writeHash(app) {
  if (app.game.revision) history.replaceState(null, '', linkOf(app.game));
}

/** Called when another tab has saved. @param {App} app @param {StorageEvent} event */
export function otherTab(app, event) {
  const id = storage.gameOfKey(event.key);
  if (id === app.game.id && storage.storedDiffers(localStorage, app.game)) loadSaved(app, id);
}

/** Loads the stored state of a game. @param {App} app @param {string} id */
function loadSaved(app, id) {
  const saved = storage.savedState(localStorage, id);
  if (!saved) return;
  app.client.cancel(app.search?.id);
  app.client.cancel(app.infoId);
  Object.assign(app, { search: null, infoNode: null, clock: null });
  app.game = storage.unpack(saved);
  if (app.opening) app.opening.game = app.game;
  app.show(app.game.shown);
}
