//! The tabs of a narrow page: moves, analysis, chances. In play there is no tab of the analysis.

import { byId, el, setAttribute, t } from '../base/text.js';

/** @typedef {import('./app.js').App} App */

/** The tabs: their names, which are the keys of their texts, and the panes. */
const TABS = { moves: 'movescard', analysis: 'extra', chances: 'chancescard' };

/** Shows a pane. @param {HTMLElement} tab */
function choose(tab) {
  document.body.dataset.tab = tab.dataset.tab;
  for (const other of document.querySelectorAll('.tabs button')) {
    setAttribute(other, 'aria-selected', other === tab);
    setAttribute(other, 'tabindex', other === tab ? '0' : '-1');
  }
}

/** Shows what a command has opened: chooses the tab of its pane, scrolls to it, and gives it the focus. @param {HTMLElement} node */
export function reveal(node) {
  // A wide page has no tabs, or they are not loaded yet.
  const tab = document.getElementById(`tab-${node.dataset.pane}`);
  if (tab?.checkVisibility()) choose(tab);
  node.focus({ preventScroll: true });
  node.scrollIntoView({ block: byId('tabs').checkVisibility() ? 'start' : 'nearest' });
}

export class Tabs {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.list = byId('tabs');
    this.mode = app.mode;
    this.list.replaceChildren(
      ...Object.entries(TABS).map(([name, pane]) =>
        el('button', { role: 'tab', id: `tab-${name}`, 'data-tab': name, 'aria-controls': pane, 'data-t': name }, t(name)),
      ),
    );
    choose(byId('tab-moves'));
    this.list.addEventListener('click', (event) => {
      const tab = event.target instanceof Element ? event.target.closest('button') : null;
      if (tab) choose(tab);
      app.refresh();
    });
    this.list.addEventListener('keydown', (event) => this.key(event));
  }

  /** The arrow keys choose a tab. @param {KeyboardEvent} event */
  key(event) {
    const all = [...this.list.querySelectorAll('button')].filter((tab) => !tab.hidden);
    const at = all.findIndex((tab) => tab.ariaSelected === 'true');
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    const tab = to === undefined ? undefined : all[(to + all.length) % all.length];
    if (!tab) return;
    event.preventDefault();
    choose(tab);
    tab.focus();
    this.app.refresh();
  }

  /** The texts change with the elements of the page. */
  reset() {}

  paint() {
    const { mode } = this.app;
    const play = mode === 'play';
    byId('tab-analysis').hidden = play;
    byId('tab-chances').hidden = byId('chancescard').hidden;
    // One tab is no choice.
    this.list.hidden = play && byId('chancescard').hidden;
    if (mode !== this.mode) choose(byId(play ? 'tab-moves' : 'tab-analysis'));
    this.mode = mode;
    if (byId(`tab-${document.body.dataset.tab}`).hidden) choose(byId('tab-moves'));
    const narrow = this.list.checkVisibility();
    for (const tab of this.list.querySelectorAll('button')) {
      const pane = byId(tab.getAttribute('aria-controls') ?? '');
      setAttribute(pane, 'role', narrow ? 'tabpanel' : null);
      setAttribute(pane, 'aria-labelledby', narrow ? tab.id : null);
    }
  }
}
