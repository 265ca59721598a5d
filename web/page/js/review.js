//! The review of a game: the server grades every move, and the page shows marks, losses and mistakes.

import { moveText } from './game.js';
import { MARKS } from './move-list.js';
import { byId, el, setAttribute, t } from './text.js';
import { roughShare } from './score.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Node} Node */
/** @typedef {import('./client.js').Reply} Reply */

/** Time for each position, in ms. */
const POSITION_MS = 500;
/** The server's grades as signs. */
const SIGNS = /** @type {Record<string, Node['mark']>} */ ({ fine: '', doubtful: '?!', mistake: '?', blunder: '??' });

export class Review {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {string | null} */
    this.id = null;
    /** The line that is graded. @type {Node[]} */
    this.line = [];
    /** How many moves are graded. */
    this.done = 0;
    this.finished = false;
    /** The mistake for which the user looks for a better move. @type {Node | null} */
    this.trying = null;
    this.card = el('section.card.review');
    this.progress = el('progress');
  }

  reset() {
    this.app.client.cancel(this.id);
    Object.assign(this, { id: null, line: [], done: 0, finished: false, trying: null });
  }

  enter() {
    const line = this.app.game.mainLine();
    const same = line.length === this.line.length && line.every((node, n) => node === this.line[n]);
    byId('extra').hidden = false;
    byId('extra').append(this.card);
    this.card.hidden = false;
    if (same && (this.finished || this.id)) return this.redraw();
    this.reset();
    this.line = line;
    this.run();
  }

  leave() {
    this.card.hidden = true;
    this.trying = null;
    if (this.id) this.reset();
  }

  run() {
    const { app, line } = this;
    const last = line.at(-1);
    if (!last?.move) return this.redraw();
    const { game } = app;
    this.id = app.client.ask({ action: 'review', ...game.query(last), time_ms: POSITION_MS }, (reply, ended) => {
      if (app.game !== game || this.line !== line) return;
      if (ended) this.id = null;
      this.handleReply(reply);
    });
    this.redraw();
  }

  /** @param {Reply} reply */
  handleReply(reply) {
    const { app, line } = this;
    if (reply.type === 'error') return app.fail(reply.message ?? reply.code, [{ text: t('retry'), act: () => this.run() }]);
    if (reply.type === 'move') this.gradeMove(reply);
    if (reply.type !== 'game') return;
    const chances = /** @type {number[]} */ (reply.chances ?? []);
    line.forEach((node, n) => { node.share = chances[n] ?? node.share; });
    this.finished = true;
    app.say(t('review.done', { n: this.mistakes().length }));
    this.redraw();
    this.next(true);
    void app.save();
  }

  /** @param {Reply} reply */
  gradeMove(reply) {
    const node = this.line[reply.number];
    if (!node) return;
    this.done = reply.number;
    node.mark = SIGNS[reply.grade] ?? '';
    node.better = reply.best ?? [];
    const mine = (/** @type {number} */ share) => (node.side === 'first' ? share : 1000 - share);
    if (node.parent) node.parent.share = mine(roughShare(reply.before));
    node.share = mine(roughShare(reply.after));
    this.app.game.changes++;
    this.redraw();
  }

  /** Returns the moves with a mark, in order. */
  mistakes() {
    return this.line.filter((node) => node.mark);
  }

  /** Goes to the next mistake after the move shown. @param {boolean} [first] from the start */
  next(first = false) {
    const at = first ? -1 : this.app.game.shown.ply;
    const all = this.mistakes();
    const node = all.find((known) => known.ply > at) ?? all[0];
    if (!node) return;
    this.app.goTo(node);
    this.card.querySelector(`[data-ply="${node.ply}"]`)?.scrollIntoView({ block: 'nearest' });
    if (first) /** @type {HTMLElement | null} */ (this.card.querySelector(`[data-ply="${node.ply}"]`))?.focus();
  }

  /** Goes back to the position before a mistake and hides values, so that the user can find a better move. @param {Node} node */
  tryAgain(node) {
    if (!node.parent) return;
    this.app.goTo(node.parent);
    this.trying = node;
    this.app.tell(t('review.try', { side: this.app.sideName(node.side) }), [{ text: t('review.show'), act: () => { this.trying = null; this.app.goTo(node); } }]);
  }

  statusText() {
    const { app } = this;
    const node = app.game.shown;
    if (!this.line.some((known) => known.move)) return t('review.none');
    if (this.trying && node.parent === this.trying.parent && node !== this.trying) {
      const good = this.trying.better[0] === node.move;
      return t(good ? 'review.best' : 'review.notbest', { move: moveText(node.move) });
    }
    if (!this.finished) return t('review.running', { at: this.done, all: this.line.length - 1 });
    if (!node.mark) return node.move ? t('status.last', { side: app.sideName(node.side), move: moveText(node.move) }) : t('start');
    return t('review.move', { move: moveText(node.move), mark: t(`mark.${MARKS[node.mark]}`), best: node.better.map(moveText).slice(0, 5).join(' ') });
  }

  /** Counts the moves of a side with a mark. @param {import('./game.js').Side} side @param {string} mark */
  count(side, mark) {
    return this.line.filter((node) => node.side === side && node.mark === mark).length;
  }

  redraw() {
    const { app } = this;
    const marks = /** @type {const} */ (['?!', '?', '??']);
    const sides = /** @type {import('./game.js').Side[]} */ (['first', 'second']);
    const table = el('table.losses', null,
      el('thead', null, el('tr', null, el('th', { scope: 'col' }, t('player')), ...marks.map((mark) => el('th', { scope: 'col' }, el(`i.sign.${MARKS[mark]}`), t(`mark.${MARKS[mark]}`))))),
      el('tbody', null, ...sides.map((side) => el('tr', null, el('th', { scope: 'row' }, app.sideName(side)), ...marks.map((mark) => el('td', null, String(this.count(side, mark))))))));
    const list = el('ol.mistakes', null, ...this.mistakes().map((node) => el('li', null,
      el('button.link', { type: 'button', 'data-ply': node.ply, onclick: () => app.goTo(node) }, `${node.ply} ${moveText(node.move)} ${node.mark}`),
      el('span', null, t('review.better', { move: moveText(node.better[0] ?? '') })),
      el('button.link', { type: 'button', onclick: () => this.tryAgain(node) }, t('review.again')))));
    for (const [name, value] of Object.entries({ max: this.line.length - 1, value: this.done, 'aria-label': t('mode.review') })) setAttribute(this.progress, name, value);
    const progress = this.id ? this.progress : null;
    const next = this.mistakes().length ? el('button', { type: 'button', onclick: () => this.next() }, t('review.next')) : null;
    this.card.replaceChildren(el('h2', null, t('review.title')), ...[progress].filter((node) => node !== null), table,
      ...(this.mistakes().length || !this.finished ? [list] : [el('p', null, t('review.clean'))]), ...[next].filter((node) => node !== null));
    app.refresh();
  }
}
