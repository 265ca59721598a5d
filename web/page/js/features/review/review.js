//! The review of a game: the engine grades every move, and the page shows marks, losses and mistakes. Each
//! position is searched with a number of nodes and an empty table, so a game gets the same marks every time.

import { annotate, request } from '../../app/positions.js';
import { roughShare, sentence } from '../../base/format.js';
import { saveFile } from '../../base/save.js';
import { byId, el, languageNow, setAttribute, setText, t } from '../../base/text.js';
import { MARKS, indexOf, lossOf, moveText, pointOf } from '../../record/game.js';
import { writeSgf } from '../../record/sgf.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */
/** @typedef {import('../../protocol/client.js').Reply} Reply */

/** Nodes for each position. */
const NODES = { quick: 10_000, normal: 50_000, deep: 250_000 };
/** A marked move gets a second look with this many times the nodes. */
const SECOND_LOOK = 5;
/** The engine's grades as signs. */
const SIGNS = /** @type {Record<string, Node['mark']>} */ ({ fine: '', doubtful: '?!', mistake: '?', blunder: '??' });

/** Why a move is bad, in words that end with a blank. @param {Node} node */
const why = (node) => (node.reason ? `${sentence(node.reason.text)} ` : '');

/** @param {App} app */
export const mount = (app) => new Review(app);

class Review {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.mode = /** @type {const} */ ('review');
    /** @type {string | null} */
    this.id = null;
    /** The line that is graded. @type {Node[]} */
    this.line = [];
    /** How many moves are graded. */
    this.done = 0;
    /** How many moves have had their second look, and how many need one. */
    this.second = { done: 0, all: 0 };
    this.finished = false;
    /** The mistake for which the user looks for a better move. @type {Node | null} */
    this.trying = null;
    /** What the tried move loses, as text. */
    this.triedText = '';
    this.commands = { mistake: () => this.next() };
    this.title = el('h2');
    this.note = el('span.note');
    this.body = el('div.graded');
    this.card = el('section.card.review', null, this.title, this.note, this.body);
    this.progress = el('progress');
  }

  gameChanged() {
    this.reset();
    if (this.app.mode === 'review') this.begin();
  }

  suspend() {
    this.app.client.cancel(this.id);
    this.id = null;
  }

  connected() {
    if (this.app.mode === 'review' && !this.finished && !this.id) this.go();
  }

  reset() {
    this.app.client.cancel(this.id);
    Object.assign(this, { id: null, line: [], done: 0, finished: false, trying: null });
  }

  get running() {
    return this.id !== null;
  }

  get hidesValues() {
    return this.trying !== null;
  }

  get nodes() {
    return NODES[this.app.settings.budget];
  }

  enter() {
    this.card.hidden = this.app.mode !== 'review';
    if (this.app.mode !== 'review') return this.leave();
    byId('extra').hidden = false;
    byId('extra').append(this.card);
    this.begin();
  }

  leave() {
    this.trying = null;
    this.suspend();
  }

  /** Reviews the main line, or goes on where an earlier review has stopped. */
  begin() {
    const line = this.app.game.mainLine();
    const same = line.length === this.line.length && line.every((node, n) => node === this.line[n]);
    if (!same) {
      this.reset();
      this.line = line;
    }
    if (!this.finished && !this.id) this.go();
    this.redraw();
  }

  /** Whether a move needs no further search: its grade has the nodes of the budget. @param {Node} node */
  isGraded(node) {
    return node.graded >= this.nodes;
  }

  /** Asks the engine to grade the moves after the first one that has no grade yet. */
  go() {
    const { line } = this;
    const first = line.findIndex((node) => node.move && !this.isGraded(node));
    this.done = first < 0 ? line.length - 1 : first - 1;
    if (line.length < 2) return this.redraw();
    if (first < 0) return this.lookAgain();
    const last = /** @type {Node} */ (line.at(-1));
    const from = /** @type {Node} */ (line[first - 1]);
    this.ask(from, last, this.nodes, {
      move: (reply) => this.grade(line[first - 1 + (reply.number ?? 0)], reply, this.nodes),
      end: (reply) => {
        this.takeChances(line.slice(first - 1), reply);
        this.lookAgain();
      },
    });
  }

  /** Takes the chances of a graded line, which are more exact than those of its scores. @param {Node[]} line @param {Reply} reply */
  takeChances(line, { chances = [] }) {
    line.forEach((node, n) => {
      if (chances[n] !== undefined) annotate(this.app, node, { share: chances[n] }, false);
    });
  }

  /** Searches the moves with marks a second time, one after another, with more nodes. */
  lookAgain() {
    const nodes = this.nodes * SECOND_LOOK;
    const doubtful = this.line.filter((node) => node.mark && node.graded < nodes);
    this.second = { all: Math.max(this.second.all, this.second.done + doubtful.length), done: this.second.done };
    const [node] = doubtful;
    if (!node?.parent) return this.finish();
    const before = node.parent;
    this.ask(before, node, nodes, {
      move: (reply) => this.grade(node, reply, nodes),
      end: (reply) => {
        this.takeChances([before, node], reply);
        this.second.done++;
        // A move without a reply is not asked for again.
        node.graded = Math.max(node.graded, nodes);
        this.lookAgain();
      },
    });
  }

  /**
   * Asks for the grades of the moves from one position to another.
   * @param {Node} from @param {Node} to @param {number} nodes @param {{ move: (reply: Reply) => void, end: (reply: Reply) => void }} handlers
   */
  ask(from, to, nodes, handlers) {
    const { app, line } = this;
    this.id = request(app, to, this.query(from, to, nodes), {
      valid: (id) => this.id === id && this.line === line,
      again: () => this.go(),
      failed: () => {
        this.id = null;
        this.redraw();
      },
      on: (reply, last) => {
        if (last) this.id = null;
        if (reply.type === 'move') handlers.move(reply);
        else if (last && !reply.ended_by) handlers.end(reply);
        else if (last) this.redraw();
      },
    });
    this.redraw();
  }

  /** Returns the query for the moves from one position to another. @param {Node} from @param {Node} to @param {number} nodes */
  query(from, to, nodes) {
    return {
      action: /** @type {const} */ ('review'),
      ...this.app.game.query(to, from),
      nodes,
      threads: 1,
      fresh: true,
      language: languageNow(),
    };
  }

  /** Has a report of the line written, and saves it. It is made of one search of each position. */
  report() {
    const { app, line } = this;
    const [root, last] = [line[0], line.at(-1)];
    if (!root || !last) return;
    const done = () => {
      this.id = null;
      this.redraw();
    };
    // The record also names the players, and the result of a game that ended early.
    const sgf = writeSgf(app.game, { values: false });
    const query = { ...this.query(root, last, this.nodes), sgf, moves: undefined, fen: undefined, include_report: true };
    this.id = request(app, last, query, {
      valid: (id) => this.id === id && this.line === line,
      again: done,
      failed: done,
      on: (reply, isLast) => {
        if (reply.report) saveFile('tengen-report.html', reply.report, 'text/html');
        if (isLast) done();
      },
    });
    this.redraw();
  }

  /** @param {Node | undefined} node @param {Reply} reply @param {number} nodes */
  grade(node, reply, nodes) {
    const { before: scoreBefore, after: scoreAfter } = reply;
    if (!node?.parent || !scoreBefore || !scoreAfter) return;
    const { app } = this;
    this.done = Math.max(this.done, node.ply);
    const mine = (/** @type {number} */ share) => (node.side === 'first' ? share : 1000 - share);
    const before = mine(roughShare(scoreBefore));
    annotate(app, node.parent, { share: before, judged: { score: scoreBefore, line: reply.best ?? [], nodes } }, false);
    annotate(
      app,
      node,
      {
        mark: SIGNS[reply.grade ?? ''] ?? '',
        better: reply.best ?? [],
        reason: reply.reason ?? null,
        share: mine(roughShare(scoreAfter)),
        graded: nodes,
      },
      false,
    );
    this.redraw();
  }

  finish() {
    const { app } = this;
    const isNew = !app.game.reviewed;
    this.finished = true;
    app.game.reviewed = true;
    app.say(t('review.done', { n: this.mistakes().length }));
    const { seats } = app.game;
    const [side] = this.learners();
    // Of two people's game, or an imported one, nobody says which side the user played.
    if (isNew && side && seats.first !== seats.second) this.learn(side, true);
    this.redraw();
    this.next(true);
    app.save();
  }

  /** Returns the sides that the user played and that have a blunder. */
  learners() {
    const { seats } = this.app.game;
    return /** @type {const} */ (['first', 'second']).filter((side) => seats[side] === 'you' && this.count(side, '??'));
  }

  /** Makes cards of the blunders of a side. @param {import('../../record/game.js').Side} side @param {boolean} [quiet] */
  learn(side, quiet = false) {
    this.app.open('mistakes', { line: this.line, side, quiet });
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
    this.trying = null;
    this.app.goTo(node);
    this.app.say(this.status());
    const button = /** @type {HTMLElement | null} */ (this.card.querySelector(`[data-ply="${node.ply}"]`));
    button?.scrollIntoView({ block: 'nearest' });
    if (first) button?.focus();
  }

  /** Goes back to the position before a mistake and hides values, so that the user can find a better move. @param {Node} node */
  tryAgain(node) {
    if (!node.parent) return;
    this.app.goTo(node.parent);
    this.trying = node;
    this.triedText = '';
    this.app.tell(t('review.try', { side: this.app.sideName(node.side) }), this.answers(node));
  }

  /** @param {Node} node */
  answers(node) {
    return [
      {
        text: t('review.show'),
        act: () => {
          this.trying = null;
          this.app.goTo(node);
        },
      },
    ];
  }

  /** A tried move gets its value. */
  follow() {
    const { app, trying } = this;
    const node = app.game.shown;
    if (app.mode !== 'review' || !trying) return;
    if (node.parent !== trying.parent) {
      if (node !== trying.parent) this.trying = null;
      return;
    }
    if (node === trying) {
      this.trying = null;
      return;
    }
    this.triedText = '';
    const tell = () => {
      const loss = lossOf(node);
      const good = trying.better[0] === node.move || (loss !== null && loss < 10);
      const words = t(good ? 'review.best' : 'review.notbest', { move: moveText(node.move) });
      this.triedText =
        loss === null ? words : `${words} ${t(loss < 10 ? 'review.loses.none' : 'review.loses', { share: Math.round(loss / 10) })}`;
      const choices = [{ text: t('review.again'), act: () => this.tryAgain(trying) }, ...this.answers(trying)];
      // The reason may name the better move, so it is told on request.
      const ask = { text: t('review.why'), act: () => app.tell(why(node), choices) };
      app.tell(this.triedText, node.reason ? [ask, ...choices] : choices);
    };
    if (this.isGraded(node) || app.over()) return setTimeout(tell);
    const nodes = Math.max(trying.graded, this.nodes);
    const query = { ...this.query(node.parent ?? node, node, nodes), include_reasons: true };
    request(app, node, query, {
      valid: () => app.game.shown === node,
      on: (reply, last) => {
        if (reply.type === 'move' && reply.after) {
          const mine = (/** @type {number} */ share) => (node.side === 'first' ? share : 1000 - share);
          const found = { share: mine(roughShare(reply.after)), reason: reply.reason ?? null, graded: nodes };
          annotate(app, node, found, false);
        }
        if (last) tell();
      },
    });
    setTimeout(() => {
      if (!this.triedText) app.tell(t('review.judging', { move: moveText(node.move) }));
    });
  }

  /** Draws the move that is better than the mistake shown. @param {import('../../board/view.js').Scene} scene */
  scene(scene) {
    const { app } = this;
    const node = app.game.shown;
    if (app.mode !== 'review' || !node.mark || this.trying || app.preview) return;
    const point = pointOf(node.better[0] ?? '', app.game.shape);
    if (point && node.better[0] !== node.move) scene.better = indexOf(point, app.game.shape);
    const threats = (node.reason?.points ?? []).map((name) => pointOf(name, app.game.shape));
    const free = threats.flatMap((at) => (at ? [indexOf(at, app.game.shape)] : [])).filter((i) => i !== scene.last && i !== scene.better);
    scene.discs = [...scene.discs, ...free.map((i) => ({ i, kind: /** @type {const} */ ('bad'), text: '!' }))];
  }

  legend() {
    return /** @type {[string, string][]} */ ([
      ['doubtful', t('mark.doubtful')],
      ['mistake', t('mark.mistake')],
      ['blunder', t('mark.blunder')],
      ['better', t('review.bettersign')],
    ]);
  }

  status() {
    const { app } = this;
    const node = app.game.shown;
    if (!this.line.some((known) => known.move)) return t('review.none');
    if (this.trying) return this.triedText || t('review.try', { side: app.sideName(this.trying.side) });
    if (this.id && this.done < this.line.length - 1) return t('review.running', { at: this.done, all: this.line.length - 1 });
    if (this.id && !this.finished) return t('review.second', { at: this.second.done + 1, all: this.second.all });
    if (!node.mark) return node.move ? t('status.last', { side: app.sideName(node.side), move: moveText(node.move) }) : t('start');
    const loss = lossOf(node);
    const loses = loss === null ? '' : ` · ${t('review.loses', { share: Math.round(loss / 10) })}`;
    return (
      t('review.move', {
        move: moveText(node.move),
        mark: t(`mark.${MARKS[node.mark]}`),
        best: node.better.map(moveText).slice(0, 5).join(' '),
      }) +
      loses +
      (node.reason ? ` · ${why(node)}` : '')
    );
  }

  /** Counts the moves of a side with a mark. @param {import('../../record/game.js').Side} side @param {string} mark */
  count(side, mark) {
    return this.line.filter((node) => node.side === side && node.mark === mark).length;
  }

  /** The accuracy of a side in per cent: how much of the expected score its moves keep, on average. @param {import('../../record/game.js').Side} side */
  accuracy(side) {
    const losses = this.line
      .filter((node) => node.move && node.side === side)
      .map(lossOf)
      .filter((loss) => loss !== null);
    return losses.length ? Math.round(100 - losses.reduce((sum, loss) => sum + loss, 0) / losses.length / 10) : null;
  }

  /** Changes the number of nodes, and goes on with the moves that have fewer. @param {'quick' | 'normal' | 'deep'} budget */
  setBudget(budget) {
    this.suspend();
    this.app.set('budget', budget);
    this.finished = false;
    this.second = { done: 0, all: 0 };
    this.go();
  }

  language() {
    this.redraw();
  }

  redraw() {
    const { app } = this;
    const marks = /** @type {const} */ (['?!', '?', '??']);
    const sides = /** @type {import('../../record/game.js').Side[]} */ (['first', 'second']);
    const percent = (/** @type {number | null} */ value) => (value === null ? '' : `${value} %`);
    const table = el(
      'table',
      null,
      el(
        'thead',
        null,
        el(
          'tr',
          null,
          el('th', { scope: 'col' }, t('player')),
          el('th', { scope: 'col' }, t('review.accuracy')),
          ...marks.map((mark) => el('th', { scope: 'col' }, el(`i.sign.${MARKS[mark]}`), t(`mark.${MARKS[mark]}`))),
        ),
      ),
      el(
        'tbody',
        null,
        ...sides.map((side) =>
          el(
            'tr',
            null,
            el('th', { scope: 'row' }, app.playerName(side)),
            el('td', null, percent(this.accuracy(side))),
            ...marks.map((mark) => el('td', null, String(this.count(side, mark)))),
          ),
        ),
      ),
    );
    const list = el(
      'ol.mistakes',
      null,
      ...this.mistakes().map((node) =>
        el(
          'li',
          null,
          el(
            'button.link',
            { type: 'button', 'data-ply': node.ply, onclick: () => app.goTo(node) },
            `${node.ply} ${moveText(node.move)} ${node.mark}`,
          ),
          el('span', null, t('review.better', { move: moveText(node.better[0] ?? '') }), el('q.why', null, why(node))),
          el('button.link', { type: 'button', id: `again-${node.ply}`, onclick: () => this.tryAgain(node) }, t('review.again')),
        ),
      ),
    );
    for (const [name, value] of Object.entries({
      max: Math.max(1, this.line.length - 1),
      value: this.done,
      'aria-label': t('mode.review'),
    }))
      setAttribute(this.progress, name, value);
    const budgets = /** @type {const} */ (['quick', 'normal', 'deep']);
    const select = /** @type {HTMLSelectElement} */ (
      el(
        'select',
        { id: 'budget', 'aria-label': t('review.budget'), onchange: () => this.setBudget(/** @type {any} */ (select.value)) },
        ...budgets.map((name) => el('option', { value: name }, t(`review.${name}`))),
      )
    );
    select.value = app.settings.budget;
    const focus = /** @type {HTMLElement | null} */ (this.card.contains(document.activeElement) ? document.activeElement : null);
    const [ply, id] = [focus?.dataset.ply, focus?.id];
    const next = this.mistakes().length
      ? el('button', { type: 'button', id: 'nextmistake', onclick: () => this.next() }, t('review.next'))
      : null;
    const parts = [
      this.id ? this.progress : null,
      next,
      table,
      this.mistakes().length || !this.finished ? list : el('p', null, t('review.clean')),
      this.finished && !this.id
        ? el('button.link', { type: 'button', id: 'report', onclick: () => this.report() }, t('review.report'))
        : null,
      ...(this.finished ? this.learners() : []).map((side) =>
        el(
          'button.link',
          { type: 'button', id: `learn-${side}`, onclick: () => this.learn(side) },
          t('mistakes.learn', { side: app.sideName(side) }),
        ),
      ),
    ];
    setText(this.title, t('review.title'));
    this.note.replaceChildren(select);
    this.body.replaceChildren(...parts.filter((part) => part !== null));
    // A redrawn list keeps the focus.
    const again = ply ? this.card.querySelector(`[data-ply="${ply}"]`) : id ? this.card.querySelector(`#${id}`) : null;
    if (again instanceof HTMLElement) again.focus();
    app.refresh();
  }
}
