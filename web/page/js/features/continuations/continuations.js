//! The moves that a record with variations has in the position shown, also by another order of moves or in an equal position: as
//! letters on the board, and as a list. The other ways to the position are listed too.

import { addLine } from '../../app/positions.js';
import { byId, el, hasChanged, t } from '../../base/text.js';
import { indexOf, moveText, pointOf } from '../../record/game.js';
import { allNodes, labelsOf } from '../../record/sgf.js';
import { Tree } from '../../record/tree.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */
/** @typedef {import('../../record/tree.js').Continuation & { label: string }} Labelled */

/** The nodes that are added in one piece, so that the page goes on meanwhile. */
const PIECE = 500;
/** How many other ways to a position are listed. */
const LISTED = 5;

/** @param {App} app */
export const mount = (app) => new Continuations(app);

class Continuations {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The positions of the game, as far as they were read. @type {Tree | null} */
    this.tree = null;
    /** The nodes that are not read yet. @type {Node[]} */
    this.open = [];
    /** How many of the nodes that were added are read, and how many removals there were by then. */
    this.known = { added: 0, removals: 0 };
    /** What the record plays in the position shown. @type {Labelled[]} */
    this.all = [];
    this.drawn = new Map();
    this.title = el('h2', { id: 'continuationstitle' }, t('tree'));
    this.body = el('div');
    this.card = el(
      'section.card.continuations',
      { 'data-pane': 'moves', 'aria-labelledby': 'continuationstitle', hidden: true },
      this.title,
      this.body,
    );
    byId('commentcard').after(this.card);
  }

  gameChanged() {
    Object.assign(this, { tree: null, open: [], all: [] });
    this.drawn.clear();
  }

  language() {
    this.title.replaceChildren(t('tree'));
    this.drawn.clear();
  }

  /** Whether the continuations are shown. The explorer has marks and a list of its own. */
  get isShown() {
    const { app } = this;
    return app.mode === 'analyse' && app.game.branches > 0 && !this.open.length && !app.feature('explorer')?.isOpen;
  }

  /** Reads the nodes of the game that are new; all, if some were removed. */
  read() {
    const { game } = this.app;
    const { added, removals } = game;
    if (!game.branches) return;
    const isGrown = this.tree && this.known.removals === removals;
    const fresh = isGrown ? added.slice(this.known.added) : allNodes(game);
    this.known = { added: added.length, removals };
    const tree = (isGrown && this.tree) || new Tree(game.shape);
    this.tree = tree;
    this.open = fresh;
    if (this.open.length) this.readOn(tree);
  }

  /** @param {Tree} tree */
  readOn(tree) {
    if (this.tree !== tree) return;
    tree.add(this.app.game, this.open.splice(0, PIECE));
    if (this.open.length) setTimeout(() => this.readOn(tree));
    else this.app.refresh();
  }

  /** Looks up the position shown. */
  find() {
    const { game } = this.app;
    const { tree } = this;
    if (!tree) return;
    const found = tree.continuations(game, game.shown);
    this.all = found.map((one, n) => ({ ...one, label: labelOf(one, game.shape) || (n < 26 ? String.fromCharCode(65 + n) : '') }));
  }

  /** Draws the letters. @param {import('../../board/view.js').Scene} scene */
  scene(scene) {
    const { app } = this;
    if (app.mode === 'analyse' && !this.open.length && hasChanged(this.drawn, 'tree', [app.game.id, app.game.changes])) this.read();
    if (!this.isShown || app.preview) return;
    if (hasChanged(this.drawn, 'position', [app.game.changes, app.game.shown.moves()])) this.find();
    scene.tree = this.all.flatMap(({ moves, label, lines }) => {
      const point = pointOf(moves[0] ?? '', app.game.shape);
      if (!point || !label) return [];
      const i = indexOf(point, app.game.shape);
      const word = `${t('tree.word', { label })}, ${t('lines', { n: lines })}`;
      scene.words.set(i, [scene.words.get(i), word].filter(Boolean).join(', '));
      return [{ i, text: label.slice(0, 3) }];
    });
  }

  paint() {
    const { app, tree } = this;
    const { game } = app;
    const others = this.isShown && tree ? this.others(tree) : [];
    this.card.hidden = !this.isShown || !(this.all.length + others.length);
    if (this.card.hidden || !hasChanged(this.drawn, 'card', [game.changes, game.shown.moves(), this.all.map(({ label }) => label)])) return;
    const hadFocus = this.body.contains(document.activeElement);
    this.body.replaceChildren(
      el('ol.continued', null, ...this.all.map((one) => this.row(one))),
      ...(others.length ? [el('h3', null, t('tree.also')), el('ul.continued', null, ...others.map((node) => this.way(node)))] : []),
    );
    if (hadFocus) this.body.querySelector('button')?.focus();
  }

  /** The other nodes with the position shown. @param {Tree} tree */
  others(tree) {
    const { game } = this.app;
    const { shown } = game;
    return tree
      .nodesAt(game, shown)
      .filter((node) => node !== shown)
      .slice(0, LISTED);
  }

  /** @param {Labelled} one */
  row({ moves, label, lines, nodes }) {
    const { app } = this;
    const move = moves[0] ?? '';
    const act = () => void addLine(app, [move]);
    const [comment = ''] = nodes.map((node) => node.comment).filter(Boolean);
    return el(
      'li',
      null,
      el('button.link', { type: 'button', 'data-continuation': move, onclick: act }, el('b', null, label), moveText(move)),
      el('span', null, t('lines', { n: lines })),
      comment && el('span.remark', null, comment.split('\n')[0]),
    );
  }

  /** @param {Node} node */
  way(node) {
    const text = node.moves().map(moveText).join(' ') || t('start');
    return el('li', null, el('button.link', { type: 'button', onclick: () => this.app.goTo(node) }, text));
  }
}

/** The text of the record on the point of a move; empty if it has none. @param {import('../../record/tree.js').Continuation} one @param {import('../../record/game.js').Shape} shape */
function labelOf({ nodes }, shape) {
  return nodes.map((node) => (node.parent && labelsOf(node.parent, shape).get(node.move)) || '').find(Boolean) ?? '';
}
