//! Saves the game in the browser's storage and in the link and restores it, keeps two tabs with one game
//! equal, and handles the back/forward cache. Accepts files that are dropped, and records that are pasted.

import { loadRest, storedItem, storeItem, t } from '../base/text.js';
import { LinkError, linkOf, readLink } from '../record/link.js';
import * as storage from '../record/storage.js';

/** @typedef {import('./app.js').App} App */

/** The key of this tab's own game, so that two tabs can hold two games. */
const TAB_KEY = 'tengen.tab';

/** A link without the number of the move shown. @param {string} hash */
const withoutPly = (hash) => hash.replace(/&at=\d+/, '');

export class Saver {
  /** Listens to the back/forward cache. @param {App} app */
  constructor(app) {
    this.app = app;
    /** Whether the user knows that the browser does not save. */
    this.isRefused = false;
    addEventListener('pagehide', (event) => this.pageHidden(event.persisted));
    addEventListener('pageshow', (event) => {
      if (event.persisted) this.pageRestored();
    });
    listenImports(app);
  }

  /**
   * Called when the page is left. A browser caches no page with an open socket, so the page disconnects.
   * The analysis stops, but a search for the engine's move continues.
   * @param {boolean} persisted whether the page goes to the back/forward cache
   */
  pageHidden(persisted) {
    const { app } = this;
    for (const feature of app.features.values()) feature.suspend?.();
    if (!persisted) app.client.leave();
    app.client.disconnect();
  }

  /** Called when the page comes back from the cache. Another tab may have changed the game. */
  pageRestored() {
    if (this.storedDiffers()) this.loadSaved(this.app.game.id);
    this.app.client.connect();
  }

  /** Loads the game of the link, else the game of this tab, else the last game. */
  async restore() {
    const { app } = this;
    let saved = null;
    try {
      saved = storage.restore(localStorage, storedItem('session', TAB_KEY));
    } catch (error) {
      app.addLog(String(error));
    }
    const { hash } = location;
    const isOlder = saved && history.state?.id === saved.id && history.state.revision <= saved.revision;
    if (!saved || (hash.length > 1 && !isOlder && withoutPly(linkOf(saved)) !== withoutPly(hash))) return this.openLink(location.href);
    if (saved.course) await app.load('opening');
    app.takeGame(saved);
    // The dialog of puzzles loads the card, and does not open.
    if (saved.puzzle) app.open('puzzles', true);
    // The undo button needs `play.js`.
    void app.loaded(app.loadPlay()).then(() => app.refresh());
  }

  /** Loads the game of a link, which may differ from the current address. @param {string} link */
  async openLink(link) {
    const { app } = this;
    const { hash } = new URL(link);
    // Another room, or the board for who has its token.
    if (/^#(room|token)=/.test(hash)) return app.started ? location.reload() : undefined;
    if (hash.length < 2 || hash === linkOf(app.game)) return;
    try {
      const game = readLink(hash);
      game.seats = { first: 'you', second: 'you' };
      await app.useGame(game);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      await loadRest();
      app.setLinkError(t(error.key, error.values));
    }
  }

  /** Saves the game. If another tab has saved a newer state, loads that state. */
  save() {
    const { app } = this;
    const { game } = app;
    // The server keeps a room.
    if (app.feature('room')?.active) return;
    try {
      if (!storage.save(localStorage, game)) {
        this.loadSaved(game.id);
        return app.tell(t('othertab'));
      }
      storeItem('session', TAB_KEY, game.id);
      this.writeHash();
    } catch {
      this.tellRefused();
    }
  }

  /** Says once that the browser does not save the game. The link holds its moves. */
  tellRefused() {
    const { app } = this;
    app.game.revision = Math.max(app.game.revision, 1);
    if (!this.isRefused) app.tell(t('storage.refused'));
    this.isRefused = true;
    this.writeHash();
  }

  /** Whether another tab has changed the game. */
  storedDiffers() {
    try {
      return storage.storedDiffers(localStorage, this.app.game);
    } catch {
      return false;
    }
  }

  /**
   * Writes the link of the game into the address, and of which saved state it is: a page that is loaded again soon after a move
   * can get the address before it.
   */
  writeHash() {
    const { game } = this.app;
    const state = this.isRefused ? null : { id: game.id, revision: game.revision };
    if (game.revision && !this.app.feature('room')?.active) history.replaceState(state, '', linkOf(game));
  }

  /** Called when another tab has saved. @param {StorageEvent} event */
  otherTab(event) {
    const id = storage.gameOfKey(event.key);
    if (id === this.app.game.id && this.storedDiffers()) this.loadSaved(id);
  }

  /** Loads the stored state of a game. @param {string} id */
  loadSaved(id) {
    const saved = storage.savedState(localStorage, id);
    if (saved) this.app.takeGame(storage.unpack(saved));
  }
}

/** Accepts files that are dropped on the page, and records that are pasted. @param {App} app */
function listenImports(app) {
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (event.defaultPrevented || !files.length) return;
    event.preventDefault();
    app.open('share', { files });
  });
  addEventListener('paste', (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.matches('input, textarea') || target.closest('dialog')) return;
    const files = [...(event.clipboardData?.files ?? [])];
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!files.length && !text.trim()) return;
    event.preventDefault();
    app.open('share', files.length ? { files, opens: true } : { text, opens: true });
  });
}
