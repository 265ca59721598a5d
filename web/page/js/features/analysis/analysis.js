//! The analysis of the position shown: a search whose lines appear in a table and as discs on the board.

import { annotate, request } from '../../app/positions.js';
import { outcomeWord, ownShare, scoreText, shareOf, shortNumber, winText } from '../../base/format.js';
import { byId, el, icon, setText, t } from '../../base/text.js';
import { indexOf, moveText, other, pointOf } from '../../record/game.js';
import { paintChips } from '../../board/marks.js';
import { LineTable } from './lines.js';
import { explain } from './why.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */
/** @typedef {import('../../record/game.js').Point} Point */
/** @typedef {import('../../protocol/client.js').Reply} Reply */
/** @typedef {import('../../base/format.js').Line} Line */
/** @typedef {{ lines: Line[], depth: number, nodes: number, nps: number, time: number, ended: string, byProof?: boolean, at: number }} SearchResult `at`: when the report came; `byProof`: whether it is from the proof of a file */

/** Widths in CSS pixels of the value above a column: one letter, and the sign with the edges. */
const CHIP_LETTER = 7.5;
const CHIP_EDGE = 26;
/** The shortest time between two reports, in ms. */
const REPORT_INTERVAL = 100;
/** Values of `ended_by` after which another search finds nothing new. */
const FINAL_ENDS = new Set(['solved', 'over']);

/** @param {App} app */
export const mount = (app) => new Analysis(app);

class Analysis {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.mode = /** @type {const} */ ('analyse');
    /** Whether the user has not stopped the analysis. */
    this.enabled = true;
    /** The id of the running query. @type {string | null} */
    this.id = null;
    /** When the running search began, in ms. */
    this.since = 0;
    /** The position of the last search. @type {Node | null} */
    this.node = null;
    /** The latest result of each position that was searched. @type {WeakMap<Node, SearchResult>} */
    this.results = new WeakMap();
    /** Moves that the search leaves out. */
    this.avoid = /** @type {Set<string>} */ (new Set());
    /** If not empty: the only moves that the search considers. */
    this.only = /** @type {Set<string>} */ (new Set());
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.commands = { startstop: () => this.toggle() };
    this.facts = el('p.facts');
    this.whyButton = /** @type {HTMLButtonElement} */ (
      el('button.link', { type: 'button', id: 'why', onclick: () => this.why(this.result?.lines[0]?.move ?? '') })
    );
    this.toggleButton = /** @type {HTMLButtonElement} */ (el('button', { type: 'button', 'data-act': 'startstop' }));
    this.headline = el('p.headline');
    this.card = el(
      'section.card.search',
      null,
      el('div.searchline', null, el('i.pulse'), this.headline, this.whyButton, this.toggleButton),
      this.facts,
    );
    this.table = new LineTable(this);
    byId('extra').prepend(this.card, this.table.card);
  }

  /** Draws everything again, after a change of language. */
  language() {
    delete this.toggleButton.dataset.state;
    const { card } = this.table;
    this.table = new LineTable(this);
    card.replaceWith(this.table.card);
  }

  get active() {
    return this.app.mode === 'analyse' && !this.app.editing;
  }

  get running() {
    return this.id !== null;
  }

  enter() {
    if (!this.active) this.stop();
  }

  gameChanged() {
    this.stop();
  }

  suspend() {
    this.stop();
  }

  /** Moves the search to the position shown. */
  follow() {
    const { shown: node } = this.app.game;
    if (this.node === node && this.running && this.active) return;
    if (this.node !== node) (this.avoid.clear(), this.only.clear());
    this.stop();
    this.node = node;
    if (this.active && this.enabled) this.start();
  }

  start() {
    const { app, node } = this;
    if (!node || app.over() || (FINAL_ENDS.has(this.results.get(node)?.ended ?? '') && !this.avoid.size && !this.only.size)) return;
    const { game } = app;
    /** @type {import('../../protocol/client.js').Query} */
    const query = {
      ...this.limits(),
      ...app.effort(),
      multi_pv: game.shape.gravity ? game.shape.w : app.settings.lines,
      report_every_ms: REPORT_INTERVAL,
    };
    if (this.only.size) query.allow_moves = [...this.only];
    else if (this.avoid.size) query.avoid_moves = [...this.avoid];
    this.id = request(app, node, query, {
      valid: (id) => this.id === id,
      again: () => this.restart(),
      failed: () => {
        this.id = null;
      },
      on: (reply, last) => {
        // A search without a limit has ended if a result is proven.
        if (last) this.id = null;
        else if (reply.proof) this.stop();
        this.handleReply(node, reply, last || !!reply.proof);
      },
    });
    this.since = performance.now();
    app.tick();
  }

  /** Returns the limits of the search, by the settings. */
  limits() {
    const { searchTime, searchNodes, searchDepth } = this.app.settings;
    const limits = {
      ...(searchTime ? { time_ms: searchTime } : {}),
      ...(searchNodes ? { nodes: searchNodes } : {}),
      ...(searchDepth ? { depth: searchDepth } : {}),
    };
    return Object.keys(limits).length ? limits : { infinite: true };
  }

  stop() {
    this.app.client.cancel(this.id);
    this.id = null;
  }

  /** Starts or stops, as the button says: the search may have ended after the button was drawn. Results stay. */
  toggle() {
    this.enabled = this.toggleButton.dataset.state !== 'true';
    if (this.enabled) {
      const result = this.node && this.results.get(this.node);
      if (result) result.ended = '';
      this.start();
    } else {
      this.stop();
    }
    this.app.say(t(this.enabled ? 'analysis.started' : 'analysis.stopped'));
    this.app.refresh();
  }

  restart() {
    this.stop();
    if (this.node) this.results.delete(this.node);
    if (this.active) this.start();
    this.app.refresh();
  }

  connected() {
    if (this.active && this.enabled && !this.running) this.start();
  }

  /** @param {Node} node @param {Reply} reply @param {boolean} last */
  handleReply(node, reply, last) {
    const { app } = this;
    const before = this.results.get(node);
    const lines = (reply.moves?.length ? this.sortColumns(reply.moves) : before?.lines) ?? [];
    const ended = last ? (reply.ended_by ?? 'solved') : '';
    if (last && reply.ended_by === 'drain') return;
    this.results.set(node, {
      lines,
      ended,
      depth: reply.depth ?? before?.depth ?? 0,
      nodes: reply.nodes ?? before?.nodes ?? 0,
      nps: reply.nps ?? before?.nps ?? 0,
      time: reply.time_ms ?? before?.time ?? 0,
      byProof: reply.proof?.grounds === 'proof',
      at: performance.now(),
    });
    const best = lines[0];
    if (best && !this.avoid.size && !this.only.size) {
      const share = shareOf(best.wdl, node.turn) ?? node.share;
      const judged = { score: best.score, line: best.pv, nodes: reply.nodes ?? 0 };
      annotate(app, node, judged.nodes >= (node.judged?.nodes ?? 0) ? { share, judged } : { share }, last);
    }
    if (last) app.say(ended === 'solved' ? this.headlineText() : t('analysis.depth', { depth: reply.depth ?? 0 }));
    this.refreshSoon();
  }

  /** Sorts columns by their values: the engine's ranks may come from an earlier depth. @param {Line[]} lines */
  sortColumns(lines) {
    if (!this.app.game.shape.gravity) return lines;
    const value = (/** @type {Line} */ { score, wdl }) =>
      score.win_in !== undefined ? 3000 - score.win_in : score.loss_in !== undefined ? score.loss_in - 3000 : ownShare(wdl);
    return lines.toSorted((a, b) => value(b) - value(a));
  }

  /** Draws new results, at most ten times a second. */
  refreshSoon() {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.app.refresh();
    }, REPORT_INTERVAL);
  }

  /** The result of the position shown: of this search, else what an earlier search has left in the record. @returns {SearchResult | undefined} */
  get result() {
    const node = this.app.game.shown;
    const own = this.results.get(node);
    const [move] = node.judged?.line ?? [];
    if (own?.lines.length || !node.judged || !move) return own;
    const { score, line, nodes } = node.judged;
    const share = node.share === null ? 500 : node.turn === 'first' ? node.share : 1000 - node.share;
    return {
      depth: 0,
      nps: 0,
      time: 0,
      ended: 'kept',
      at: 0,
      nodes,
      ...own,
      lines: [{ rank: 1, move, score, wdl: [share, 0, 1000 - share], pv: line }],
    };
  }

  /** The class of a line: how much worse its expected score is than that of the best line. @param {Line} line @param {Line} best */
  kind(line, best) {
    if (line === best) return /** @type {const} */ ('best');
    const given = ownShare(best.wdl) - ownShare(line.wdl);
    const proven = line.score.win_in !== undefined || line.score.loss_in !== undefined;
    if (given < 1 && proven && line.score.win_in === best.score.win_in && line.score.loss_in === best.score.loss_in)
      return /** @type {const} */ ('best');
    return given < 100 ? /** @type {const} */ ('close') : given < 400 ? /** @type {const} */ ('doubt') : /** @type {const} */ ('bad');
  }

  /** Whether the board shows values of the position. */
  get visible() {
    const { app } = this;
    return app.mode === 'analyse' && !app.editing && Boolean(this.result?.lines.length) && !app.over();
  }

  /** Adds the discs. @param {import('../../board/view.js').Scene} scene */
  scene(scene) {
    const { app } = this;
    app.board.host.classList.toggle('valued', app.mode === 'analyse');
    if (this.active) {
      const indices = (/** @type {Set<string>} */ moves) =>
        [...moves].map((move) => pointOf(move, app.game.shape)).flatMap((point) => (point ? [indexOf(point, app.game.shape)] : []));
      scene.barred = indices(this.avoid);
      scene.chosen = indices(this.only);
    }
    if (!this.visible || app.game.shape.gravity || app.settings.values === 'none') return;
    const lines = this.result?.lines ?? [];
    const best = lines[0];
    const covered = new Set(app.preview?.moves ?? []);
    scene.discs.push(
      ...lines.flatMap((line) => {
        const point = pointOf(line.move, app.game.shape);
        if (!point || !best || covered.has(line.move)) return [];
        return [{ i: indexOf(point, app.game.shape), kind: this.kind(line, best), text: this.discText(line) }];
      }),
    );
  }

  /** @param {Line} line */
  discText(line) {
    const { values } = this.app.settings;
    return values === 'rank' ? String(line.rank) : values === 'score' ? scoreText(line.score) : winText(line);
  }

  /** The line that begins on a point, or null. @param {Point} point */
  lineAt(point) {
    if (!this.visible) return null;
    const { shape, shown: node } = this.app.game;
    const target = this.app.game.target(node, point);
    const line =
      target &&
      this.result?.lines.find((known) => {
        const at = pointOf(known.move, shape);
        return at && indexOf(at, shape) === indexOf(target, shape);
      });
    const best = this.result?.lines[0];
    if (!line || !best || shape.gravity) return null;
    return { pv: line.pv, kind: this.kind(line, best) };
  }

  /** The value of a move in words, for screen readers. @param {string} move */
  wordsOf(move) {
    const line = this.visible ? this.result?.lines.find((known) => known.move === move) : undefined;
    return line ? outcomeWord(line) : '';
  }

  best() {
    const best = this.result?.lines[0];
    return best ? `${moveText(best.move)}: ${outcomeWord(best)}` : '';
  }

  /** @param {string} move @returns {[string, () => void][]} */
  pointItems(move) {
    const toggle = (/** @type {Set<string>} */ set) => () => {
      if (!set.delete(move)) set.add(move);
      this.enabled = true;
      this.restart();
    };
    return [
      [t(this.avoid.has(move) ? 'menu.include' : 'menu.exclude', { move: moveText(move) }), toggle(this.avoid)],
      [t(this.only.has(move) ? 'menu.everywhere' : 'menu.only', { move: moveText(move) }), toggle(this.only)],
      [t('review.why'), () => this.why(move)],
    ];
  }

  /** The menu of a move that was played. @param {Node} node @returns {import('../../app/parts.js').MenuItem[]} */
  moveItems(node) {
    const { parent } = node;
    return this.active && parent ? [[t('review.why'), () => this.why(node.move, parent)]] : [];
  }

  /** Says why a move is good or bad. The analysis waits meanwhile. @param {string} move @param {Node} [before] the position before the move */
  why(move, before = this.app.game.shown) {
    const result = before === this.app.game.shown ? this.result : this.results.get(before);
    const line = result?.lines.find((known) => known.move === move);
    this.stop();
    const isBest = result?.lines[0]?.move === move;
    explain(this.app, before, move, { line, isBest, nodes: result?.nodes ?? 0 }, () => {
      if (this.active && this.enabled && !this.running) this.start();
    });
  }

  /** Marks the only points that are searched, or points that are not. Points with stones do not count. @param {string[]} points @param {boolean} bans @param {boolean} done */
  area(points, bans, done) {
    const { game } = this.app;
    const free = points.filter((name) => {
      const point = pointOf(name, game.shape);
      return point && game.target(game.shown, point);
    });
    const [set, other] = bans ? [this.avoid, this.only] : [this.only, this.avoid];
    set.clear();
    other.clear();
    // A press without a drag takes the marks away.
    if (points.length > 1) for (const name of free) set.add(name);
    if (!done) return;
    this.enabled = true;
    this.restart();
    this.app.say(t(free.length && points.length > 1 ? (bans ? 'area.barred' : 'area.chosen') : 'menu.everywhere', { n: free.length }));
  }

  headlineText() {
    const { app } = this;
    const best = this.result?.lines[0];
    const side = app.sideName(app.game.shown.turn);
    if (app.over()) return app.resultText();
    if (!best) return t(this.running ? 'analysis.searching' : 'status.turn', { side });
    const { win_in: win, loss_in: loss } = best.score;
    const n = Math.ceil((win ?? loss ?? 0) / 2);
    // The proof of a file says only how long the loser can hold out.
    const solved = this.result?.byProof && n > 1 ? '.proof' : '.proven';
    const proven = this.result?.ended === 'solved' || app.game.shape.gravity ? solved : '';
    if (n) return t(`win.in${proven}`, { side: win ? side : app.sideName(other(app.game.shown.turn)), n });
    if (this.result?.ended === 'solved') return t('draw.proven');
    return t('analysis.share', { side, share: Math.round(ownShare(best.wdl) / 10) });
  }

  /** The facts of the search. Between two reports the time goes on, and the nodes are estimated by the last speed. */
  factTexts() {
    const { result } = this;
    if (!result && !this.running) return [];
    const since = result?.at && result.at >= this.since ? result.at : this.since;
    const passed = this.running ? Math.max(0, performance.now() - since) : 0;
    const base = this.running && since === this.since ? 0 : (result?.time ?? 0);
    const ms = base + passed;
    const time = `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`;
    if (!result) return [time];
    const estimated = passed > 1000 && result.nps > 0;
    const nodes = result.nodes + (estimated ? Math.round((result.nps * passed) / 1000) : 0);
    const facts = [
      result.ended === 'solved' ? t('solved') : result.depth ? t('depth', { depth: result.depth }) : t('kept'),
      `${estimated ? '≈ ' : ''}${t('nodes', { nodes: shortNumber(nodes) })}`,
    ];
    if (result.nps && result.ended !== 'solved') facts.push(`${(result.nps / 1e6).toFixed(2)} M/s`);
    return result.ended === 'kept' && !this.running ? facts : [...facts, time];
  }

  /** @returns {[string, string][]} */
  legend() {
    const { app } = this;
    const side = app.sideName(app.game.shown.turn);
    if (app.game.shape.gravity) return [['text', t('legend.columns', { side })]];
    const value = t(`legend.${app.settings.values}`, { side });
    return [
      ['best', t('legend.best')],
      ['close', t('legend.close')],
      ['doubt', t('legend.doubt')],
      ['bad', t('legend.bad')],
      ['text', app.preview ? `${value}; ${t('legend.small')}` : value],
    ];
  }

  paint() {
    const { app } = this;
    byId('extra').hidden = app.mode === 'play';
    for (const card of [this.card, this.table.card]) card.hidden = app.mode !== 'analyse';
    this.paintChips();
    if (app.mode !== 'analyse') return;
    setText(this.headline, this.headlineText());
    const facts = this.factTexts();
    if (this.facts.textContent !== facts.join('')) this.facts.replaceChildren(...facts.map((fact) => el('span', null, fact)));
    const { running } = this;
    this.card.classList.toggle('running', running);
    if (this.toggleButton.dataset.state !== String(running)) {
      this.toggleButton.replaceChildren(
        running ? icon('pause', 'M7.5 5v10m5-10v10') : icon('play', 'M6.5 4.5v11l9-5.5z'),
        t(running ? 'stop' : 'startanalysis'),
      );
      this.toggleButton.dataset.state = String(running);
    }
    this.toggleButton.disabled = Boolean(app.over()) || Boolean(app.editing);
    setText(this.whyButton, t('review.why'));
    this.whyButton.hidden = !this.visible;
    this.table.paint();
  }

  /** The value of a column in four in a row: class, sign and text. @param {Line} line */
  chip({ score, wdl, bound }) {
    const narrow = this.app.board.cellWidth() < t('chip.loss', { n: 15 }).length * CHIP_LETTER + CHIP_EDGE;
    const words = (/** @type {string} */ key, /** @type {number} */ plies) =>
      narrow ? String(Math.ceil(plies / 2)) : t(key, { n: Math.ceil(plies / 2) });
    if (score.win_in !== undefined) return { kind: 'best', sign: '▲', text: words('chip.win', score.win_in) };
    if (score.loss_in !== undefined) return { kind: 'bad', sign: '▼', text: words('chip.loss', score.loss_in) };
    if (wdl?.[1] === 1000 && bound !== 'lower' && bound !== 'upper') return { kind: 'draw', sign: '=', text: narrow ? '' : t('draw') };
    return { kind: 'close', sign: '', text: `${Math.round(ownShare(wdl) / 10)} %` };
  }

  paintChips() {
    const { app } = this;
    const { game } = app;
    if (!game.shape.gravity) return paintChips(app.board, []);
    const values = Array.from({ length: game.shape.w }, (_, c) => {
      if (app.mode !== 'analyse') return null;
      if (!game.drop(game.shown, c)) return { kind: 'none', sign: '', text: t('full') };
      const lines = this.visible ? (this.result?.lines ?? []) : [];
      const line = lines.find((known) => pointOf(known.move, game.shape)?.c === c);
      if (!line) return null;
      const chip = this.chip(line);
      return line === lines[0] ? { ...chip, kind: `${chip.kind}.first` } : chip;
    });
    paintChips(app.board, values);
  }
}
