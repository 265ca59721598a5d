//! The list of moves: the main line in two columns, and variations below their move.

import { byId, el, hasChanged, icon, setAttribute, setText, t } from '../../base/text.js';
import { MARKS, indexOf, lossOf, moveText, pointOf } from '../../record/game.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */

/** A tree with more variations is listed along the line shown, with the first move of each other line. */
const MAX_VARIATIONS = 500;

/** @param {App} app */
export const mount = (app) => new MoveList(app);

class MoveList {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The data of each part, as text, when it was drawn. @type {Map<string, string>} */
    this.drawn = new Map();
    this.list = byId('moves');
    /** The variations that are folded, by their first move. @type {WeakSet<Node>} */
    this.folded = new WeakSet();
    this.list.addEventListener('click', (event) => {
      const twig = event.target instanceof Element ? event.target.closest('.twig') : null;
      if (twig) return this.fold(twig);
      const node = this.nodeOf(event.target);
      if (node) app.goTo(node);
    });
    this.list.addEventListener('contextmenu', (event) => {
      const node = this.nodeOf(event.target);
      if (!node) return;
      event.preventDefault();
      app.moveMenu(node, /** @type {HTMLElement} */ (event.target));
    });
    this.list.addEventListener('keydown', (event) => {
      if (event.key !== 'ContextMenu' && !(event.shiftKey && event.key === 'F10')) return;
      const node = this.nodeOf(event.target);
      if (node) app.moveMenu(node, /** @type {HTMLElement} */ (event.target));
      event.preventDefault();
    });
    /** @type {Map<Node, HTMLElement>} */
    this.buttons = new Map();
    /** @type {WeakMap<Element, Node>} */
    this.nodes = new WeakMap();
    /** The first moves of variations, by the buttons that fold them. @type {WeakMap<Element, Node>} */
    this.branchOf = new WeakMap();
  }

  /** @param {EventTarget | null} target */
  nodeOf(target) {
    const button = target instanceof Element ? target.closest('.mv') : null;
    return button ? this.nodes.get(button) : undefined;
  }

  /** Marks stones whose moves lose something with dots. @param {import('../../board/view.js').Scene} scene */
  scene(scene) {
    const { app } = this;
    const { game } = app;
    if (app.mode === 'play' || !app.settings.dots || app.preview || [...app.features.values()].some((feature) => feature.hidesValues))
      return;
    scene.dots = game.shown.path().flatMap((at) => {
      const loss = at.move ? lossOf(at) : null;
      const point = pointOf(at.move, game.shape);
      if (loss === null || !point) return [];
      return [{ i: indexOf(point, game.shape), kind: at.mark ? MARKS[at.mark] : loss < 50 ? 'good' : 'fine' }];
    });
  }

  /** Makes the next `paint` draw everything, such as after a change of language. */
  language() {
    this.drawn.clear();
  }

  paint() {
    const { app } = this;
    const { game } = app;
    const line = this.isLarge() ? game.line().at(-1)?.moves() : null;
    const heads = this.heads();
    if (hasChanged(this.drawn, 'moves', [game.id, game.changes, heads, line])) this.buildMoves();
    const current = this.buttons.get(game.shown);
    for (const button of this.list.querySelectorAll('[aria-current]')) if (button !== current) button.removeAttribute('aria-current');
    const place = [
      game.id,
      game.changes,
      app.mode,
      heads,
      this.list.clientHeight,
      game.shown.ply,
      game.shown.path().map((node) => node.parent?.children.indexOf(node)),
    ];
    if (hasChanged(this.drawn, 'current', place)) {
      if (current) this.unfold(current);
      scrollTo(this.list, current);
    }
    if (current) setAttribute(current, 'aria-current', 'true');
    if (hasChanged(this.drawn, 'played', [game.id, game.changes, app.mode, game.line().length])) setText(byId('played'), this.note());
  }

  isLarge() {
    return this.app.game.branches > MAX_VARIATIONS;
  }

  /** The number of moves or variations, as text. */
  note() {
    const { game, mode } = this.app;
    return mode === 'play' || !game.branches ? t('played', { n: game.line().length - 1 }) : t('variations', { n: game.branches });
  }

  /** The name of the opening of the line shown, such as "Opening: D4 Kagetsu 花月 (Flower Moon)". */
  openingText() {
    const named = this.app.game.line().findLast((node) => node.info?.opening);
    const opening = named?.info?.opening;
    if (!opening) return '';
    const { code, romanised, native, names = {} } = opening;
    const own = names[document.documentElement.lang] ?? names.en;
    const name = [code, romanised, native].filter(Boolean).join(' ');
    return `${t('new.opening')}: ${name && own && own !== native ? `${name} (${own})` : name || own}`;
  }

  /** What is said above the moves: the course of the opening, and its name. */
  heads() {
    const all = [...this.app.features.values()].flatMap((feature) => feature.events?.() ?? []);
    return [...all, this.openingText()].filter(Boolean);
  }

  buildMoves() {
    const { game } = this.app;
    const focused = this.nodeOf(document.activeElement);
    this.buttons.clear();
    const parts = this.heads().map((text) => el('p.event', null, text));
    const line = (this.isLarge() ? game.line() : game.mainLine()).slice(1);
    for (let i = 0; i < line.length; i += 2) {
      const pair = line.slice(i, i + 2);
      parts.push(...pair.map((node, n) => this.moveButton(node, n === 0)));
      if (pair.length === 1) parts.push(el('span.gap'));
      for (const node of pair) parts.push(...this.sidelines(node));
    }
    this.list.replaceChildren(...parts);
    if (focused) this.buttons.get(focused)?.focus({ preventScroll: true });
  }

  /** Builds the variations of a move. @param {Node} node @returns {HTMLElement[]} */
  sidelines(node) {
    const isLarge = this.isLarge();
    const others = (isLarge ? node.parent?.children.filter((child) => child !== node) : node.parent?.children.slice(1)) ?? [];
    return others.map((branch) => {
      if (isLarge) return el('div.sideline', null, this.moveButton(branch, true), branch.children.length > 0 && '…');
      const parts = /** @type {HTMLElement[]} */ (branch.children.length ? [this.twig(branch)] : []);
      for (let at = /** @type {Node | null} */ (branch); at; at = at.children[0] ?? null) {
        parts.push(this.moveButton(at, true));
        if (at !== branch) parts.push(...this.sidelines(at));
      }
      return el(`div.sideline${this.folded.has(branch) ? '.folded' : ''}`, null, ...parts);
    });
  }

  /** Builds the button that folds a variation. @param {Node} branch its first move */
  twig(branch) {
    const label = t('variation.show', { move: `${branch.ply} ${moveText(branch.move)}` });
    const button = el(
      'button.link.twig',
      { type: 'button', 'aria-label': label, 'aria-expanded': !this.folded.has(branch) },
      icon('fold', 'M6 8l4 4 4-4'),
    );
    this.branchOf.set(button, branch);
    return button;
  }

  /** Folds a variation to its first move, or shows it. @param {Element} twig */
  fold(twig) {
    const branch = this.branchOf.get(twig);
    if (!branch) return;
    if (!this.folded.delete(branch)) this.folded.add(branch);
    const isFolded = this.folded.has(branch);
    twig.closest('.sideline')?.classList.toggle('folded', isFolded);
    setAttribute(twig, 'aria-expanded', !isFolded);
    if (isFolded && this.app.game.shown.isWithin(branch)) this.app.goTo(branch);
  }

  /** Shows the variations in which a move stands. @param {HTMLElement} button */
  unfold(button) {
    for (let line = button.closest('.folded'); line; line = line.parentElement?.closest('.folded') ?? null) {
      const twig = line.querySelector(':scope > .twig');
      if (twig && this.branchOf.get(twig) !== this.app.game.shown) this.fold(twig);
      else break;
    }
  }

  /** @param {Node} node @param {boolean} numbered */
  moveButton(node, numbered) {
    const words = ` ${this.app.sideName(node.side)}${node.mark ? ` ${t(`mark.${MARKS[node.mark]}`)}` : ''}`;
    const button = el(
      `button.mv${numbered ? '' : '.second'}`,
      { type: 'button', title: node.comment || null },
      el('i', null, String(node.ply)),
      ' ',
      el('span', null, moveText(node.move)),
      el('span.sr', null, words),
      node.mark && el(`b.${MARKS[node.mark]}`, null, node.mark),
      node.comment && el('em', null, '…'),
    );
    this.buttons.set(node, button);
    this.nodes.set(button, node);
    return button;
  }
}

/** Scrolls the list to a move, but not the page. @param {HTMLElement} list @param {HTMLElement | undefined} item */
function scrollTo(list, item) {
  if (!item) return;
  const [outer, inner] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  if (inner.bottom > outer.bottom - 4) list.scrollTop += inner.bottom - outer.bottom + 8;
  else if (inner.top < outer.top + 4) list.scrollTop -= outer.top - inner.top + 8;
}
