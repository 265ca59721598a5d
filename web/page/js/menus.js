//! The context menus of a point and of a move.

import { byId, el, loadRest, loadStyle, t } from './text.js';
import { indexOf, moveText, nameOf } from './game.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Node} Node */
/** @typedef {import('./game.js').Point} Point */
/** @typedef {[string, () => void] | null} Item */

/**
 * Opens a menu. Escape or a click elsewhere closes it, and the focus returns.
 * @param {DOMRect} near @param {string} label @param {Item[]} items
 */
async function open(near, label, items) {
  await loadStyle('dialogs');
  const before = document.activeElement;
  document.querySelector('.menu')?.remove();
  const close = () => {
    menu.remove();
    removeEventListener('pointerdown', outside, true);
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  };
  const outside = (/** @type {PointerEvent} */ event) => { if (!menu.contains(/** @type {globalThis.Node} */ (event.target))) close(); };
  const buttons = items.filter((item) => item !== null).map(([text, act]) => el('button', { type: 'button', role: 'menuitem', tabindex: -1, onclick: () => { close(); act(); } }, text));
  const menu = el('div.menu', {
    role: 'menu', 'aria-label': label,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) buttons[(at + step + buttons.length) % buttons.length]?.focus();
      else if (event.key === 'Escape' || event.key === 'Tab') close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  }, ...buttons);
  // Inside a landmark, where screen readers look for it.
  byId('panel').append(menu);
  menu.style.left = `${Math.max(4, Math.min(near.left, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${Math.max(4, Math.min(near.bottom + 4, innerHeight - menu.offsetHeight - 8))}px`;
  addEventListener('pointerdown', outside, true);
  buttons[0]?.focus();
}

/** Opens the menu of a move. @param {App} app @param {Node} node @param {HTMLElement} anchor */
export async function ofMove(app, node, anchor) {
  await loadRest();
  const isMain = app.game.mainLine().includes(node);
  void open(anchor.getBoundingClientRect(), moveText(node.move), [
    isMain ? null : [t('menu.main'), () => { app.game.promote(node); app.refresh(); void app.save(); }],
    [t('menu.comment'), () => comment(app, node)],
    [t('menu.numbers'), () => { app.numbersFrom = node.ply - 1; app.set('numbers', 'from'); }],
    app.mode === 'play' ? null : [t('menu.delete'), () => { app.game.remove(node); app.show(app.game.shown); void app.save(); }],
  ]);
}

/** Opens the menu of a point. @param {App} app @param {Point} point */
export async function ofPoint(app, point) {
  await loadRest();
  const { game } = app;
  const name = nameOf(point);
  const stone = game.stones(game.shown)[indexOf(point, game.shape)];
  const { analysis } = app;
  const near = app.board.cells[indexOf(point, game.shape)]?.getBoundingClientRect() ?? new DOMRect();
  /** @type {Item[]} */
  const items = [];
  if (stone) {
    const at = game.shown.path().find((node) => node.move === name);
    if (at) items.push([t('menu.goto', { ply: at.ply }), () => app.goTo(at)], [t(at.flag ? 'menu.unmark' : 'menu.mark'), () => { at.flag = !at.flag; app.refresh(); void app.save(); }], [t('menu.comment'), () => comment(app, at)]);
  } else if (analysis && app.mode === 'analyse') {
    const target = game.target(game.shown, point);
    const move = target ? nameOf(target) : name;
    items.push([t(analysis.avoid.has(move) ? 'menu.include' : 'menu.exclude', { move: moveText(move) }), () => toggle(analysis.avoid, move, analysis)],
      [t(analysis.only.has(move) ? 'menu.everywhere' : 'menu.only', { move: moveText(move) }), () => toggle(analysis.only, move, analysis)]);
    items.push([t('menu.variation', { move: moveText(move) }), () => app.tap(point)]);
  } else {
    items.push([t('menu.analyse'), () => void app.setMode('analyse')]);
  }
  void open(near, moveText(name), items);
}

/** Adds a move to a set of the analysis or removes it, and searches again. @param {Set<string>} set @param {string} move @param {import('./analysis.js').Analysis} analysis */
function toggle(set, move, analysis) {
  if (!set.delete(move)) set.add(move);
  analysis.enabled = true;
  analysis.restart();
}

/** @param {App} app @param {Node} node */
async function comment(app, node) {
  const { openComment } = await import('./comment.js');
  void openComment(app, node);
}
