//! The context menus of a point and of a move.

import { annotate, promote, remove } from './positions.js';
import { byId, el, loadRest, loadStyle, t } from '../base/text.js';
import { indexOf, moveText, nameOf } from '../record/game.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../record/game.js').Node} Node */
/** @typedef {import('../record/game.js').Point} Point */
/** @typedef {import('./parts.js').MenuItem} Item */

/**
 * Opens a menu. Escape or a click elsewhere closes it, and the focus returns.
 * @param {DOMRect} near @param {string} label @param {Item[]} items
 */
async function open(near, label, items) {
  await loadStyle('dialogs/dialogs');
  const before = document.activeElement;
  document.querySelector('.menu')?.remove();
  const close = () => {
    menu.remove();
    removeEventListener('pointerdown', outside, true);
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  };
  const outside = (/** @type {PointerEvent} */ event) => {
    if (!menu.contains(/** @type {globalThis.Node} */ (event.target))) close();
  };
  const buttons = items
    .filter((item) => item !== null)
    .map(([text, act]) =>
      el(
        'button',
        {
          type: 'button',
          role: 'menuitem',
          tabindex: -1,
          onclick: () => {
            close();
            act();
          },
        },
        text,
      ),
    );
  const menu = el(
    'div.menu',
    {
      role: 'menu',
      'aria-label': label,
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) buttons[(at + step + buttons.length) % buttons.length]?.focus();
        else if (event.key === 'Escape' || event.key === 'Tab') close();
        else return;
        event.preventDefault();
        event.stopPropagation();
      },
    },
    ...buttons,
  );
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
    isMain ? null : [t('menu.main'), () => promote(app, node)],
    [t('menu.comment'), () => app.open('commentof', node)],
    [t('menu.numbers'), () => app.setNumbersFrom(node.ply - 1)],
    node.info?.outcome
      ? null
      : [
          t('playfrom'),
          () => {
            app.goTo(node);
            app.act('playfrom');
          },
        ],
    app.mode === 'play' ? null : [t('menu.delete'), () => remove(app, node)],
    ...ofFeatures(app, node),
  ]);
}

/** The items that features have for a move. @param {App} app @param {Node} node */
const ofFeatures = (app, node) => [...app.features.values()].flatMap((feature) => feature.moveItems?.(node) ?? []);

/** Opens the menu of a point. @param {App} app @param {Point} point */
export async function ofPoint(app, point) {
  await loadRest();
  const { game } = app;
  const name = nameOf(point);
  const stone = game.stones(game.shown)[indexOf(point, game.shape)];
  const near = app.board.cells[indexOf(point, game.shape)]?.getBoundingClientRect() ?? new DOMRect();
  const at = stone && game.shown.path().find((node) => node.move === name);
  const target = game.target(game.shown, point);
  void open(near, moveText(name), stone ? (at ? itemsOfStone(app, at) : []) : itemsOfPoint(app, target ? nameOf(target) : name, point));
}

/** @param {App} app @param {Node} at @returns {Item[]} */
const itemsOfStone = (app, at) => [
  [t('menu.goto', { ply: at.ply }), () => app.goTo(at)],
  [t(at.flag ? 'menu.unmark' : 'menu.mark'), () => annotate(app, at, { flag: !at.flag })],
  [t('menu.comment'), () => app.open('commentof', at)],
  ...ofFeatures(app, at),
];

/** @param {App} app @param {string} move @param {Point} point @returns {Item[]} */
function itemsOfPoint(app, move, point) {
  if (app.mode !== 'analyse') return [[t('menu.analyse'), () => void app.setMode('analyse')]];
  const items = [...app.features.values()].flatMap((feature) => feature.pointItems?.(move) ?? []);
  return [...items, [t('menu.variation', { move: moveText(move) }), () => app.tap(point)]];
}
