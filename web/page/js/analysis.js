//! The analysis of the position shown: a search without end, its lines as a table and as discs on
//! the board.

import { byId, el, icon, setText, t } from './text.js';
import { indexOf, pointOf } from './game.js';
import { paintChips } from './marks.js';
import { shown } from './panel.js';
import { outcomeWord, scoreText, shareOf, short, winText } from './score.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Node} Node */
/** @typedef {import('./game.js').Point} Point */
/** @typedef {import('./client.js').Reply} Reply */
/** @typedef {import('./score.js').Line} Line */
/** @typedef {{ lines: Line[], depth: number, nodes: number, nps: number, time: number, ended: string }} Found */

/** Rows change places at most this often, in ms. */
const ROWS_EVERY = 500;
/** The width of a letter of a value above a column, and of its sign and edges, in CSS pixels. */
const CHIP_LETTER = 7.5;
const CHIP_EDGE = 26;
/** Reports come at most this often, in ms. */
const REPORT_EVERY = 100;
/** The server ends an endless search after a while; the page then says what was found. */
const ENDS = new Set(['solved', 'over']);

export class Analysis {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.wanted = true;
    /** @type {string | null} */
    this.id = null;
    /** @type {Node | null} */
    this.node = null;
    /** What was found of positions, for as long as the page lives. @type {WeakMap<Node, Found>} */
    this.found = new WeakMap();
    /** Moves that the search leaves out, or the only ones it looks at. */
    this.avoid = /** @type {Set<string>} */ (new Set());
    this.only = /** @type {Set<string>} */ (new Set());
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.rowsAt = 0;
    this.hovered = false;
    /** @type {Line[]} */
    this.rows = [];
    /** The position that the rows are about. @type {Node | null} */
    this.rowsOf = null;
    /** @type {string} */
    this.drawnRows = '';
    this.build();
  }

  build() {
    this.facts = el('p.facts');
    this.toggleButton = el('button', { type: 'button', 'data-act': 'startstop' });
    this.headline = el('p.headline');
    this.status = el('section.card.search', null, el('div.searchline', null, el('i.pulse'), this.headline, this.toggleButton), this.facts);
    this.count = /** @type {HTMLSelectElement} */ (el('select', { id: 'linecount', 'aria-label': t('lines.count'), onchange: () => this.setLines() }));
    for (let n = 1; n <= 20; n++) this.count.append(el('option', { value: n }, t('lines', { n })));
    this.count.value = String(this.app.settings.lines);
    this.body = el('tbody');
    this.head = el('thead');
    this.title = el('h2');
    this.table = el('table.lines', null, this.head, this.body);
    this.card = el('section.card.ranked', null, this.title, el('span.note', null, this.count), this.table);
    byId('extra').replaceChildren(this.status, this.card);
    this.body.addEventListener('mouseover', (event) => this.pointTo(event.target));
    this.body.addEventListener('mouseleave', () => this.pointTo(null));
    this.body.addEventListener('focusin', (event) => this.pointTo(event.target));
    this.body.addEventListener('focusout', () => this.pointTo(null));
    this.body.addEventListener('click', (event) => { const line = this.lineOf(event.target); if (line) this.play(line.pv.slice(0, 1)); });
    this.body.addEventListener('keydown', (event) => {
      const line = this.lineOf(event.target);
      if (!line || event.key !== 'Enter') return;
      event.preventDefault();
      event.stopPropagation();
      this.play(line.pv);
    });
  }

  /** Draws everything again, such as in another language. */
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

  /** Shows the cards of the analysis; those of a review are in the same place. */
  showCards() {
    const { mode } = this.app;
    byId('extra').hidden = mode === 'play';
    for (const card of [this.status, this.card]) if (card) card.hidden = mode !== 'analyse';
  }

  /** Searches the position shown, and no other. */
  follow() {
    const { shown: node } = this.app.game;
    if (this.node === node && this.running && this.active) return;
    if (this.node !== node) this.avoid.clear(), this.only.clear();
    this.stop();
    this.rowsAt = 0;
    this.node = node;
    if (this.active && this.wanted) this.start();
  }

  start() {
    const { app, node } = this;
    if (!node || app.over() || ENDS.has(this.found.get(node)?.ended ?? '') && !this.avoid.size && !this.only.size) return;
    const { game } = app;
    const wide = game.shape.gravity ? game.shape.w : app.settings.lines;
    /** @type {Record<string, unknown>} */
    const query = { ...game.query(node), infinite: true, multi_pv: wide, report_every_ms: REPORT_EVERY };
    if (this.only.size) query.allow_moves = [...this.only];
    else if (this.avoid.size) query.avoid_moves = [...this.avoid];
    const id = app.client.ask(query, (reply, last) => {
      if (this.id !== id) return;
      if (last) this.id = null;
      this.take(node, reply, last);
    });
    this.id = id;
    app.tick();
  }

  stop() {
    this.app.client.cancel(this.id);
    this.id = null;
  }

  /** Does what the button says, Start or Stop: the search may have ended since it was drawn. What is found stays. */
  toggle() {
    this.wanted = this.toggleButton?.dataset.state !== 'true';
    if (this.wanted) {
      const found = this.node && this.found.get(this.node);
      if (found) found.ended = '';
      this.start();
    } else {
      this.stop();
    }
    this.app.say(t(this.wanted ? 'analysis.started' : 'analysis.stopped'));
    this.app.refresh();
  }

  restart() {
    this.stop();
    if (this.node) this.found.delete(this.node);
    if (this.active) this.start();
    this.app.refresh();
  }

  reconnected() {
    if (this.active && this.wanted && !this.running) this.start();
  }

  setLines() {
    this.app.set('lines', Number(this.count?.value));
    this.restart();
  }

  /** @param {Node} node @param {Reply} reply @param {boolean} last */
  take(node, reply, last) {
    const { app } = this;
    if (reply.type === 'error') return app.fail(reply.message ?? reply.code, [{ text: t('retry'), act: () => this.restart() }]);
    if (reply.type === 'warning') return app.record(reply.message);
    const before = this.found.get(node);
    const lines = (reply.moves?.length ? this.inOrder(reply.moves) : before?.lines) ?? [];
    const ended = last ? reply.ended_by ?? 'end' : '';
    if (last && reply.ended_by === 'drain') return;
    this.found.set(node, {
      lines, ended, depth: reply.depth ?? before?.depth ?? 0, nodes: reply.nodes ?? before?.nodes ?? 0,
      nps: reply.nps ?? before?.nps ?? 0, time: reply.time_ms ?? before?.time ?? 0,
    });
    const best = lines[0];
    if (best && !this.avoid.size && !this.only.size) node.share = shareOf(best.wdl, node.turn) ?? node.share;
    if (last) app.say(ended === 'solved' ? this.headlineText() : t('analysis.depth', { depth: reply.depth ?? 0 }));
    this.refreshSoon();
  }

  /** Columns by their values: ranks of the server may be those of an earlier depth. @param {Line[]} lines */
  inOrder(lines) {
    if (!this.app.game.shape.gravity) return lines;
    const value = (/** @type {Line} */ { score, wdl }) =>
      score.win_in !== undefined ? 3000 - score.win_in : score.loss_in !== undefined ? score.loss_in - 3000 : shareOf(wdl, 'first') ?? 500;
    return lines.toSorted((a, b) => value(b) - value(a));
  }

  /** Draws what was found, ten times a second at most. */
  refreshSoon() {
    this.timer ??= setTimeout(() => { this.timer = undefined; this.app.refresh(); }, REPORT_EVERY);
  }

  /** @returns {Found | undefined} */
  get now() {
    return this.found.get(this.app.game.shown);
  }

  /** What the mover gives away with a line, in per mille of the best one. @param {Line} line @param {Line} best */
  kind(line, best) {
    const share = (/** @type {Line} */ of) => shareOf(of.wdl, 'first') ?? 500;
    if (line === best) return /** @type {const} */ ('best');
    const given = share(best) - share(line);
    const proven = line.score.win_in !== undefined || line.score.loss_in !== undefined;
    if (given < 1 && proven && line.score.win_in === best.score.win_in && line.score.loss_in === best.score.loss_in) return /** @type {const} */ ('best');
    return given < 100 ? /** @type {const} */ ('close') : given < 400 ? /** @type {const} */ ('doubt') : /** @type {const} */ ('bad');
  }

  /** Whether the values of the position shown are on the board. */
  get visible() {
    const { app } = this;
    return app.mode === 'analyse' && !app.editing && Boolean(this.now?.lines.length) && !app.over();
  }

  /** @returns {import('./board.js').Disc[]} */
  discs() {
    const { app } = this;
    if (!this.visible || app.game.shape.gravity || app.settings.values === 'none') return [];
    const lines = this.now?.lines ?? [];
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

  /** The line that begins on a point. @param {Point} point */
  lineAt(point) {
    if (!this.visible) return null;
    const { shape, shown: node } = this.app.game;
    const target = this.app.game.target(node, point);
    const line = target && this.now?.lines.find((known) => indexOf(pointOf(known.move, shape) ?? point, shape) === indexOf(target, shape) && pointOf(known.move, shape));
    const best = this.now?.lines[0];
    if (!line || !best || shape.gravity) return null;
    return { pv: line.pv, kind: this.kind(line, best) };
  }

  /** The value of a move in words, for readers. @param {string} move */
  valueOf(move) {
    const line = this.visible ? this.now?.lines.find((known) => known.move === move) : undefined;
    return line ? outcomeWord(line) : '';
  }

  /** @param {string[]} moves */
  play(moves) {
    const { app } = this;
    let node = app.game.shown;
    const [first] = moves;
    if (!first) return;
    for (const move of moves) node = app.game.add(node, move);
    app.goTo(moves.length > 1 ? app.game.shown : node);
    app.say(t('line.added', { line: moves.map(shown).join(' ') }));
    void app.save();
  }

  /** @param {EventTarget | null} target */
  lineOf(target) {
    const row = target instanceof Element ? target.closest('tr') : null;
    return row ? this.rows[Number(row.dataset.row)] : undefined;
  }

  /** Shows the line of a row on the board. @param {EventTarget | null} target */
  pointTo(target) {
    const line = this.lineOf(target);
    this.hovered = Boolean(line);
    const best = this.now?.lines[0];
    this.app.preview = line && best ? { moves: line.pv.slice(0, 10), kind: this.kind(line, best), from: 'row' } : null;
    for (const row of this.body?.children ?? []) row.classList.toggle('lit', line !== undefined && this.lineOf(row) === line);
    this.app.refresh();
  }

  headlineText() {
    const { app } = this;
    const best = this.now?.lines[0];
    const side = app.sideName(app.game.shown.turn);
    if (app.over()) return app.resultText();
    if (!best) return t(this.running ? 'analysis.searching' : 'status.turn', { side });
    const { win_in: win, loss_in: loss } = best.score;
    const other = app.sideName(app.game.shown.turn === 'first' ? 'second' : 'first');
    const proven = this.now?.ended === 'solved' || app.game.shape.gravity ? '.proven' : '';
    if (win !== undefined) return t(`win.in${proven}`, { side, n: Math.ceil(win / 2) });
    if (loss !== undefined) return t(`win.in${proven}`, { side: other, n: Math.ceil(loss / 2) });
    if (this.now?.ended === 'solved') return t('draw.proven');
    return t('analysis.share', { side, share: Math.round((shareOf(best.wdl, 'first') ?? 500) / 10) });
  }

  statusText() {
    return '';
  }

  factTexts() {
    const now = this.now;
    if (!now) return [];
    const time = `${Math.floor(now.time / 60_000)}:${String(Math.floor(now.time / 1000) % 60).padStart(2, '0')}`;
    const facts = [now.ended === 'solved' ? t('solved') : t('depth', { depth: now.depth }), t('nodes', { nodes: short(now.nodes) })];
    if (now.nps && now.ended !== 'solved') facts.push(`${(now.nps / 1e6).toFixed(2)} M/s`);
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
    if ((this.hovered || (this.running && now - this.rowsAt < ROWS_EVERY)) && this.rows.length && this.rowsOf === app.game.shown) return this.refreshRows();
    this.rowsAt = now;
    this.rowsOf = app.game.shown;
    this.rows = app.over() ? [] : this.now?.lines ?? [];
    const { gravity } = app.game.shape;
    setText(/** @type {Element} */ (this.title), t(gravity ? 'columns' : 'bestmoves'));
    if (this.count) this.count.hidden = gravity;
    const names = gravity ? ['drop', 'result', 'line'] : ['move', 'win', 'score', 'line'];
    this.head?.replaceChildren(el('tr', null, ...names.map((name) => el('th', { scope: 'col' }, t(`col.${name}`)))));
    const key = JSON.stringify([this.rows, document.documentElement.lang, this.running]);
    if (key === this.drawnRows) return;
    this.drawnRows = key;
    const focused = this.body?.contains(document.activeElement) ? Number(/** @type {HTMLElement} */ (document.activeElement).dataset.row) : -1;
    const empty = el('tr', null, el('td', { colspan: names.length }, t(app.over() ? 'analysis.over' : this.running ? 'analysis.searching' : 'analysis.none')));
    this.body?.replaceChildren(...(this.rows.length ? this.rows.map((line, n) => this.row(line, n)) : [empty]));
    if (focused >= 0) /** @type {HTMLElement | undefined} */ (this.body?.children[focused])?.focus();
  }

  /** New values in rows that keep their places. */
  refreshRows() {
    const lines = this.now?.lines ?? [];
    const places = new Map(lines.map((line) => [line.move, line]));
    this.rows.forEach((row, n) => {
      const line = places.get(row.move);
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
    const name = gravity ? shown(line.move).slice(0, 1) : shown(line.move);
    return el('tr', { tabindex: 0, 'data-row': n, 'aria-label': `${name}: ${outcomeWord(line)}` },
      el('th', { scope: 'row' }, name), el('td', null, this.pill(line, best)),
      gravity ? null : el('td', null, scoreText(line.score, line.bound)), el('td.pv', null, this.lineText(line)));
  }

  /** @param {Line} line */
  lineText(line) {
    return line.pv.slice(this.app.game.shape.gravity ? 0 : 1, 8).map(shown).join(' ');
  }

  /** @param {Line} line @param {Line} best */
  pill(line, best) {
    const { gravity } = this.app.game.shape;
    if (!gravity) return el(`span.pill.${this.kind(line, best)}`, null, winText(line));
    const chip = this.chip(line);
    return el(`span.pill.${chip.kind}`, null, el('i', null, chip.sign), outcomeWord(line));
  }

  /** A value of four in a row: sign, word, colour. @param {Line} line */
  chip({ score, wdl, bound }) {
    const narrow = this.app.board.cellWidth() < t('chip.loss', { n: 15 }).length * CHIP_LETTER + CHIP_EDGE;
    const words = (/** @type {string} */ key, /** @type {number} */ plies) => narrow ? String(Math.ceil(plies / 2)) : t(key, { n: Math.ceil(plies / 2) });
    if (score.win_in !== undefined) return { kind: 'best', sign: '▲', text: words('chip.win', score.win_in) };
    if (score.loss_in !== undefined) return { kind: 'bad', sign: '▼', text: words('chip.loss', score.loss_in) };
    if (wdl?.[1] === 1000 && bound !== 'lower' && bound !== 'upper') return { kind: 'draw', sign: '=', text: narrow ? '' : t('draw') };
    return { kind: 'close', sign: '', text: `${Math.round((shareOf(wdl, 'first') ?? 500) / 10)} %` };
  }

  paintChips() {
    const { app } = this;
    const { game } = app;
    if (!game.shape.gravity) return paintChips(app.board, []);
    const values = Array.from({ length: game.shape.w }, (_, c) => {
      if (app.mode !== 'analyse') return null;
      if (!game.drop(game.shown, c)) return { kind: 'none', sign: '', text: t('full') };
      const lines = this.visible ? this.now?.lines ?? [] : [];
      const line = lines.find((known) => pointOf(known.move, game.shape)?.c === c);
      if (!line) return null;
      const chip = this.chip(line);
      return line === lines[0] ? { ...chip, kind: `${chip.kind}.first` } : chip;
    });
    paintChips(app.board, values);
  }
}
