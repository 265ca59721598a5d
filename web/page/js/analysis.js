//! The analysis of the position shown: an infinite search, whose lines appear in a table and as discs
//! on the board.

import { byId, el, icon, setText, t } from './text.js';
import { indexOf, moveText, pointOf } from './game.js';
import { paintChips } from './marks.js';
import { outcomeWord, ownShare, scoreText, shareOf, shortNumber, winText } from './score.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Node} Node */
/** @typedef {import('./game.js').Point} Point */
/** @typedef {import('./client.js').Reply} Reply */
/** @typedef {import('./score.js').Line} Line */
/** @typedef {{ lines: Line[], depth: number, nodes: number, nps: number, time: number, ended: string }} SearchResult */

/** The shortest time between two orders of the rows, in ms. */
const ROWS_INTERVAL = 500;
/** Widths in CSS pixels of the value above a column: one letter, and the sign with the edges. */
const CHIP_LETTER = 7.5;
const CHIP_EDGE = 26;
/** The shortest time between two reports, in ms. */
const REPORT_INTERVAL = 100;
/** Values of `ended_by` after which another search finds nothing new. */
const FINAL_ENDS = new Set(['solved', 'over']);

export class Analysis {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** Whether the user has not stopped the analysis. */
    this.enabled = true;
    /** The id of the running query. @type {string | null} */
    this.id = null;
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
    this.rowsAt = 0;
    this.hovered = false;
    /** @type {Line[]} */
    this.rows = [];
    /** The position of the rows. @type {Node | null} */
    this.rowsOf = null;
    /** @type {string} */
    this.drawnRowsKey = '';
    this.build();
  }

  build() {
    this.facts = el('p.facts');
    this.toggleButton = el('button', { type: 'button', 'data-act': 'startstop' });
    this.headline = el('p.headline');
    this.status = el('section.card.search', null, el('div.searchline', null, el('i.pulse'), this.headline, this.toggleButton), this.facts);
    this.lineCount = /** @type {HTMLSelectElement} */ (el('select', { id: 'linecount', 'aria-label': t('lines.count'), onchange: () => this.setLines() }));
    for (let n = 1; n <= 20; n++) this.lineCount.append(el('option', { value: n }, t('lines', { n })));
    this.lineCount.value = String(this.app.settings.lines);
    this.body = el('tbody');
    this.head = el('thead');
    this.title = el('h2');
    this.table = el('table.lines', null, this.head, this.body);
    this.card = el('section.card.ranked', null, this.title, el('span.note', null, this.lineCount), this.table);
    byId('extra').replaceChildren(this.status, this.card);
    this.body.addEventListener('mouseover', (event) => this.previewRow(event.target));
    this.body.addEventListener('mouseleave', () => this.previewRow(null));
    this.body.addEventListener('focusin', (event) => this.previewRow(event.target));
    this.body.addEventListener('focusout', () => this.previewRow(null));
    this.body.addEventListener('click', (event) => { const line = this.lineOf(event.target); if (line) this.play(line.pv.slice(0, 1)); });
    this.body.addEventListener('keydown', (event) => {
      const line = this.lineOf(event.target);
      if (!line || event.key !== 'Enter') return;
      event.preventDefault();
      event.stopPropagation();
      this.play(line.pv);
    });
  }

  /** Builds and draws everything again, such as after a change of language. */
  reset() {
    this.build();
    this.app.refresh();
  }

  get active() {
    return this.app.mode === 'analyse' && !this.app.editing;
  }

  get running() {
    return this.id !== null;
  }

  enter() {
    this.showCards();
    if (!this.active) this.stop();
    this.follow();
  }

  /** Shows the cards of the analysis or hides them: a review uses the same place. */
  showCards() {
    const { mode } = this.app;
    byId('extra').hidden = mode === 'play';
    for (const card of [this.status, this.card]) if (card) card.hidden = mode !== 'analyse';
  }

  /** Moves the search to the position shown. */
  follow() {
    const { shown: node } = this.app.game;
    if (this.node === node && this.running && this.active) return;
    if (this.node !== node) this.avoid.clear(), this.only.clear();
    this.stop();
    this.rowsAt = 0;
    this.node = node;
    if (this.active && this.enabled) this.start();
  }

  start() {
    const { app, node } = this;
    if (!node || app.over() || FINAL_ENDS.has(this.results.get(node)?.ended ?? '') && !this.avoid.size && !this.only.size) return;
    const { game } = app;
    const wide = game.shape.gravity ? game.shape.w : app.settings.lines;
    /** @type {Record<string, unknown>} */
    const query = { ...game.query(node), infinite: true, multi_pv: wide, report_every_ms: REPORT_INTERVAL };
    if (this.only.size) query.allow_moves = [...this.only];
    else if (this.avoid.size) query.avoid_moves = [...this.avoid];
    const id = app.client.ask(query, (reply, last) => {
      if (this.id !== id) return;
      if (last) this.id = null;
      this.handleReply(node, reply, last);
    });
    this.id = id;
    app.tick();
  }

  stop() {
    this.app.client.cancel(this.id);
    this.id = null;
  }

  /** Starts or stops, as the button says: the search may have ended after the button was drawn. Results stay. */
  toggle() {
    this.enabled = this.toggleButton?.dataset.state !== 'true';
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

  reconnected() {
    if (this.active && this.enabled && !this.running) this.start();
  }

  setLines() {
    this.app.set('lines', Number(this.lineCount?.value));
    this.restart();
  }

  /** @param {Node} node @param {Reply} reply @param {boolean} last */
  handleReply(node, reply, last) {
    const { app } = this;
    if (reply.type === 'error') return app.fail(reply.message ?? reply.code, [{ text: t('retry'), act: () => this.restart() }]);
    if (reply.type === 'warning') return app.addLog(reply.message);
    const before = this.results.get(node);
    const lines = (reply.moves?.length ? this.sortColumns(reply.moves) : before?.lines) ?? [];
    const ended = last ? reply.ended_by ?? 'end' : '';
    if (last && reply.ended_by === 'drain') return;
    this.results.set(node, {
      lines, ended, depth: reply.depth ?? before?.depth ?? 0, nodes: reply.nodes ?? before?.nodes ?? 0,
      nps: reply.nps ?? before?.nps ?? 0, time: reply.time_ms ?? before?.time ?? 0,
    });
    const best = lines[0];
    if (best && !this.avoid.size && !this.only.size) node.share = shareOf(best.wdl, node.turn) ?? node.share;
    if (last) app.say(ended === 'solved' ? this.headlineText() : t('analysis.depth', { depth: reply.depth ?? 0 }));
    this.refreshSoon();
  }

  /** Sorts columns by their values: the server's ranks may come from an earlier depth. @param {Line[]} lines */
  sortColumns(lines) {
    if (!this.app.game.shape.gravity) return lines;
    const value = (/** @type {Line} */ { score, wdl }) =>
      score.win_in !== undefined ? 3000 - score.win_in : score.loss_in !== undefined ? score.loss_in - 3000 : ownShare(wdl);
    return lines.toSorted((a, b) => value(b) - value(a));
  }

  /** Draws new results, at most ten times a second. */
  refreshSoon() {
    this.timer ??= setTimeout(() => { this.timer = undefined; this.app.refresh(); }, REPORT_INTERVAL);
  }

  /** The result of the position shown. @returns {SearchResult | undefined} */
  get result() {
    return this.results.get(this.app.game.shown);
  }

  /** The class of a line: how much worse its expected score is than that of the best line. @param {Line} line @param {Line} best */
  kind(line, best) {
    if (line === best) return /** @type {const} */ ('best');
    const given = ownShare(best.wdl) - ownShare(line.wdl);
    const proven = line.score.win_in !== undefined || line.score.loss_in !== undefined;
    if (given < 1 && proven && line.score.win_in === best.score.win_in && line.score.loss_in === best.score.loss_in) return /** @type {const} */ ('best');
    return given < 100 ? /** @type {const} */ ('close') : given < 400 ? /** @type {const} */ ('doubt') : /** @type {const} */ ('bad');
  }

  /** Whether the board shows values of the position. */
  get visible() {
    const { app } = this;
    return app.mode === 'analyse' && !app.editing && Boolean(this.result?.lines.length) && !app.over();
  }

  /** @returns {import('./board.js').Disc[]} */
  discs() {
    const { app } = this;
    if (!this.visible || app.game.shape.gravity || app.settings.values === 'none') return [];
    const lines = this.result?.lines ?? [];
    const best = lines[0];
    const covered = new Set(app.preview?.moves ?? []);
    return lines.flatMap((line) => {
      const point = pointOf(line.move, app.game.shape);
      if (!point || !best || covered.has(line.move)) return [];
      return [{ i: indexOf(point, app.game.shape), kind: this.kind(line, best), text: this.discText(line) }];
    });
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
    const line = target && this.result?.lines.find((known) => indexOf(pointOf(known.move, shape) ?? point, shape) === indexOf(target, shape) && pointOf(known.move, shape));
    const best = this.result?.lines[0];
    if (!line || !best || shape.gravity) return null;
    return { pv: line.pv, kind: this.kind(line, best) };
  }

  /** The value of a move in words, for screen readers. @param {string} move */
  valueOf(move) {
    const line = this.visible ? this.result?.lines.find((known) => known.move === move) : undefined;
    return line ? outcomeWord(line) : '';
  }

  /** Adds moves to the tree as a variation. @param {string[]} moves */
  play(moves) {
    const { app } = this;
    let node = app.game.shown;
    const [first] = moves;
    if (!first) return;
    for (const move of moves) node = app.game.add(node, move);
    app.goTo(moves.length > 1 ? app.game.shown : node);
    app.say(t('line.added', { line: moves.map(moveText).join(' ') }));
    void app.save();
  }

  /** The line of a table row. @param {EventTarget | null} target */
  lineOf(target) {
    const row = target instanceof Element ? target.closest('tr') : null;
    return row ? this.rows[Number(row.dataset.row)] : undefined;
  }

  /** Shows the line of a row on the board. @param {EventTarget | null} target */
  previewRow(target) {
    const line = this.lineOf(target);
    this.hovered = Boolean(line);
    const best = this.result?.lines[0];
    this.app.preview = line && best ? { moves: line.pv.slice(0, 10), kind: this.kind(line, best), from: 'row' } : null;
    for (const row of this.body?.children ?? []) row.classList.toggle('lit', line !== undefined && this.lineOf(row) === line);
    this.app.refresh();
  }

  headlineText() {
    const { app } = this;
    const best = this.result?.lines[0];
    const side = app.sideName(app.game.shown.turn);
    if (app.over()) return app.resultText();
    if (!best) return t(this.running ? 'analysis.searching' : 'status.turn', { side });
    const { win_in: win, loss_in: loss } = best.score;
    const other = app.sideName(app.game.shown.turn === 'first' ? 'second' : 'first');
    const proven = this.result?.ended === 'solved' || app.game.shape.gravity ? '.proven' : '';
    if (win !== undefined) return t(`win.in${proven}`, { side, n: Math.ceil(win / 2) });
    if (loss !== undefined) return t(`win.in${proven}`, { side: other, n: Math.ceil(loss / 2) });
    if (this.result?.ended === 'solved') return t('draw.proven');
    return t('analysis.share', { side, share: Math.round(ownShare(best.wdl) / 10) });
  }

  factTexts() {
    const { result } = this;
    if (!result) return [];
    const time = `${Math.floor(result.time / 60_000)}:${String(Math.floor(result.time / 1000) % 60).padStart(2, '0')}`;
    const facts = [result.ended === 'solved' ? t('solved') : t('depth', { depth: result.depth }), t('nodes', { nodes: shortNumber(result.nodes) })];
    if (result.nps && result.ended !== 'solved') facts.push(`${(result.nps / 1e6).toFixed(2)} M/s`);
    return [...facts, time];
  }

  /** @returns {[string, string][]} */
  legend() {
    const { app } = this;
    const side = app.sideName(app.game.shown.turn);
    if (app.game.shape.gravity) return [['text', t('legend.columns', { side })]];
    const value = t(`legend.${app.settings.values}`, { side });
    return [['best', t('legend.best')], ['close', t('legend.close')], ['doubt', t('legend.doubt')], ['bad', t('legend.bad')],
      ['text', app.preview ? `${value}; ${t('legend.small')}` : value]];
  }

  paint() {
    const { app } = this;
    this.showCards();
    app.board.host.classList.toggle('valued', app.mode === 'analyse');
    this.paintChips();
    if (app.mode !== 'analyse') return;
    setText(/** @type {Element} */ (this.headline), this.headlineText());
    const facts = this.factTexts();
    if (this.facts && this.facts.textContent !== facts.join('')) this.facts.replaceChildren(...facts.map((fact) => el('span', null, fact)));
    const running = this.running;
    this.status?.classList.toggle('running', running);
    if (this.toggleButton?.dataset.state !== String(running)) {
      this.toggleButton?.replaceChildren(icon(running ? 'pause' : 'play'), t(running ? 'stop' : 'startanalysis'));
      if (this.toggleButton) this.toggleButton.dataset.state = String(running);
    }
    this.paintRows();
  }

  paintRows() {
    const { app } = this;
    const now = performance.now();
    if ((this.hovered || (this.running && now - this.rowsAt < ROWS_INTERVAL)) && this.rows.length && this.rowsOf === app.game.shown) return this.refreshRows();
    this.rowsAt = now;
    this.rowsOf = app.game.shown;
    this.rows = app.over() ? [] : this.result?.lines ?? [];
    const { gravity } = app.game.shape;
    setText(/** @type {Element} */ (this.title), t(gravity ? 'columns' : 'bestmoves'));
    if (this.lineCount) this.lineCount.hidden = gravity;
    const names = gravity ? ['drop', 'result', 'line'] : ['move', 'win', 'score', 'line'];
    this.head?.replaceChildren(el('tr', null, ...names.map((name) => el('th', { scope: 'col' }, t(`col.${name}`)))));
    const key = JSON.stringify([this.rows, document.documentElement.lang, this.running]);
    if (key === this.drawnRowsKey) return;
    this.drawnRowsKey = key;
    const focused = this.body?.contains(document.activeElement) ? Number(/** @type {HTMLElement} */ (document.activeElement).dataset.row) : -1;
    const empty = el('tr', null, el('td', { colspan: names.length }, t(app.over() ? 'analysis.over' : this.running ? 'analysis.searching' : 'analysis.none')));
    this.body?.replaceChildren(...(this.rows.length ? this.rows.map((line, n) => this.row(line, n)) : [empty]));
    if (focused >= 0) /** @type {HTMLElement | undefined} */ (this.body?.children[focused])?.focus();
  }

  /** Updates the values of the rows and keeps their order. */
  refreshRows() {
    const lines = this.result?.lines ?? [];
    const byMove = new Map(lines.map((line) => [line.move, line]));
    this.rows.forEach((row, n) => {
      const line = byMove.get(row.move);
      const cells = this.body?.children[n]?.children;
      if (!line || !cells || line === row) return;
      this.rows[n] = line;
      const best = lines[0] ?? line;
      cells[1]?.replaceChildren(this.pill(line, best));
      if (cells.length > 3) setText(/** @type {Element} */ (cells[2]), scoreText(line.score, line.bound));
      setText(/** @type {Element} */ (cells[cells.length - 1]), this.lineText(line));
    });
  }

  /** @param {Line} line @param {number} n */
  row(line, n) {
    const best = this.rows[0] ?? line;
    const { gravity } = this.app.game.shape;
    const name = gravity ? moveText(line.move).slice(0, 1) : moveText(line.move);
    return el('tr', { tabindex: 0, 'data-row': n, 'aria-label': `${name}: ${outcomeWord(line)}` },
      el('th', { scope: 'row' }, name), el('td', null, this.pill(line, best)),
      gravity ? null : el('td', null, scoreText(line.score, line.bound)), el('td.pv', null, this.lineText(line)));
  }

  /** @param {Line} line */
  lineText(line) {
    return line.pv.slice(this.app.game.shape.gravity ? 0 : 1, 8).map(moveText).join(' ');
  }

  /** @param {Line} line @param {Line} best */
  pill(line, best) {
    const { gravity } = this.app.game.shape;
    if (!gravity) return el(`span.pill.${this.kind(line, best)}`, null, winText(line));
    const chip = this.chip(line);
    return el(`span.pill.${chip.kind}`, null, el('i', null, chip.sign), outcomeWord(line));
  }

  /** The value of a column in four in a row: class, sign and text. @param {Line} line */
  chip({ score, wdl, bound }) {
    const narrow = this.app.board.cellWidth() < t('chip.loss', { n: 15 }).length * CHIP_LETTER + CHIP_EDGE;
    const words = (/** @type {string} */ key, /** @type {number} */ plies) => narrow ? String(Math.ceil(plies / 2)) : t(key, { n: Math.ceil(plies / 2) });
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
      const lines = this.visible ? this.result?.lines ?? [] : [];
      const line = lines.find((known) => pointOf(known.move, game.shape)?.c === c);
      if (!line) return null;
      const chip = this.chip(line);
      return line === lines[0] ? { ...chip, kind: `${chip.kind}.first` } : chip;
    });
    paintChips(app.board, values);
  }
}
