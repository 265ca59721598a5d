//! The three modes of the page (play, analyse, review) and the tabs of a narrow page. Loaded at the
//! first change of mode or tab.

import { loadRest, loadStyle, t } from './text.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./view-model.js').Mode} Mode */

/** Changes the mode. @param {App} app @param {Mode} mode */
export async function enter(app, mode) {
  if (mode === 'analyse') app.analysis ??= new (await import('./analysis.js')).Analysis(app);
  if (mode !== 'play') await Promise.all([loadStyle('panels'), loadStyle('marks'), loadRest()]);
  if (mode === 'review') app.review ??= new (await import('./review.js')).Review(app);
  app.mode = mode;
  app.client.cancel(app.search?.id);
  app.search = null;
  app.clock?.stop();
  if (mode === 'play') app.game.show(app.game.live);
  app.review?.leave();
  app.analysis?.enter();
  app.show(app.game.shown);
  if (mode === 'review') app.review?.enter();
  app.say(t(`mode.${mode}`));
}

/** Shows one of the panes of a narrow page. @param {App} app @param {HTMLElement} tab */
export function showTab(app, tab) {
  document.body.dataset.tab = tab.dataset.tab;
  for (const other of document.querySelectorAll('.tabs button')) {
    other.setAttribute('aria-selected', String(other === tab));
    other.setAttribute('tabindex', other === tab ? '0' : '-1');
  }
  if (tab.dataset.tab === 'analysis' && app.mode === 'play') void app.setMode('analyse');
  app.refresh();
}
