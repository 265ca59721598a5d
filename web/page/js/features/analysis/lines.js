//! The table of best moves: a row for each line, whose moves are shown on the board and can be played.

import { addLine } from '../../app/positions.js';
import { outcomeWord, scoreText, winText } from '../../base/format.js';
import { el, hasChanged, icon, setAttribute, setText, t } from '../../base/text.js';
import { moveText } from '../../record/game.js';

/** @typedef {import('../../base/format.js').Line} Line */
/** @typedef {import('../../record/game.js').Node} Node */
/**
 * What the table needs of the analysis.
 * @typedef {object} Source
 * @property {import('../../app/app.js').App} app
 * @property {{ lines: Line[] } | undefined} result
 * @property {boolean} running
 * @property {() => void} restart
 * @property {(line: Line, best: Line) => string} kind
 * @property {(line: Line) => { kind: string, sign: string, text: string }} chip
 * @property {(move: string) => void} why
 */

/** The shortest time between two orders of the rows, in ms. */
const ROWS_INTERVAL = 500;
/** How many moves of a line the board shows while the mouse is on its row. */
const SHOWN = 10;

export class LineTable {
  /** @param {Source} source */
  constructor(source) {
    this.source = source;
    this.app = source.app;
    this.orderedAt = 0;
    this.hovered = false;
    /** The first moves of the lines that are shown whole. @type {Set<string>} */
    this.whole = new Set();
    /** How many moves of the focused row the arrow keys have chosen; 0: none. */
    this.chosen = 0;
    /** @type {Line[]} */
    this.rows = [];
    /** The position of the rows. @type {Node | null} */
    this.rowsOf = null;
    /** The data of each part, as text, when it was drawn. @type {Map<string, string>} */
    this.drawn = new Map();
    this.count = /** @type {HTMLSelectElement} */ (
      el('select', { id: 'linecount', 'aria-label': t('lines.count'), onchange: () => this.setCount() })
    );
    for (let n = 1; n <= 20; n++) this.count.append(el('option', { value: n }, t('lines', { n })));
    this.count.value = String(this.app.settings.lines);
    this.body = el('tbody');
    this.head = el('thead');
    this.title = el('h2');
    this.card = el(
      'section.card.ranked',
      null,
      this.title,
      el('span.note', null, this.count),
      el('table.lines', null, this.head, this.body),
    );
    this.listen();
  }

  listen() {
    const { body } = this;
    for (const kind of ['mouseover', 'focusin']) body.addEventListener(kind, (event) => this.preview(event.target));
    for (const kind of ['mouseleave', 'focusout']) body.addEventListener(kind, () => this.preview(null));
    body.addEventListener('click', (event) => {
      const button = event.target instanceof Element ? event.target.closest('button') : null;
      const line = this.lineOf(event.target);
      if (button?.matches('.why')) return line && this.source.why(line.move);
      if (button) return this.unfold(button);
      if (line) addLine(this.app, line.pv.slice(0, this.moveOf(event.target) || 1));
    });
    body.addEventListener('keydown', (event) => this.key(event));
  }

  /** Shows a whole line in several rows, or in one. @param {HTMLElement} button */
  unfold(button) {
    const move = this.lineOf(button)?.move ?? '';
    if (!this.whole.delete(move)) this.whole.add(move);
    button.closest('tr')?.classList.toggle('whole', this.whole.has(move));
    setAttribute(button, 'aria-expanded', this.whole.has(move));
  }

  setCount() {
    this.app.set('lines', Number(this.count.value));
    this.source.restart();
  }

  /** Enter adds the whole line as a variation, or plays up to the move that the arrow keys have chosen. @param {KeyboardEvent} event */
  key(event) {
    const line = this.lineOf(event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const isButton = event.target instanceof Element && event.target.closest('button') !== null;
    if (!line || isButton || (!step && event.key !== 'Enter')) return;
    event.preventDefault();
    event.stopPropagation();
    if (!step) return this.chosen ? addLine(this.app, line.pv.slice(0, this.chosen)) : addLine(this.app, line.pv, 0);
    this.chosen = Math.min(Math.max((this.chosen || 1) + step, 1), line.pv.length);
    this.show(line, this.chosen);
    const move = line.pv[this.chosen - 1] ?? '';
    this.app.say(`${this.chosen} ${moveText(move)}`, true);
  }

  /** The line of a row. @param {EventTarget | null} target */
  lineOf(target) {
    const row = target instanceof Element ? target.closest('tr') : null;
    return row ? this.rows[Number(row.dataset.row)] : undefined;
  }

  /** The number of a move in its line, from 1; 0 for other elements. @param {EventTarget | null} target */
  moveOf(target) {
    const move = target instanceof Element ? target.closest('[data-n]') : null;
    return Number(/** @type {HTMLElement | null} */ (move)?.dataset.n ?? 0);
  }

  /** Shows the line of a row on the board, up to the move under the mouse. @param {EventTarget | null} target */
  preview(target) {
    const line = this.lineOf(target);
    this.hovered = Boolean(line);
    this.chosen = 0;
    this.show(line, this.moveOf(target) || SHOWN);
    for (const row of this.body.children ?? []) row.classList.toggle('lit', line !== undefined && this.lineOf(row) === line);
  }

  /** @param {Line | undefined} line @param {number} count */
  show(line, count) {
    const best = this.source.result?.lines[0];
    this.app.setPreview(line && best ? { moves: line.pv.slice(0, count), kind: this.source.kind(line, best), from: 'row' } : null);
  }

  /** Draws the rows. While a search runs they change their order twice a second at most, and never under the mouse. */
  paint() {
    const { app, source } = this;
    const now = performance.now();
    if ((this.hovered || (source.running && now - this.orderedAt < ROWS_INTERVAL)) && this.rows.length && this.rowsOf === app.game.shown)
      return this.updateRows();
    this.orderedAt = now;
    if (this.rowsOf !== app.game.shown) this.whole.clear();
    this.rowsOf = app.game.shown;
    this.rows = app.over() ? [] : [...(source.result?.lines ?? [])];
    const { gravity } = app.game.shape;
    if (!hasChanged(this.drawn, 'rows', [this.rows, document.documentElement.lang, source.running, Boolean(app.over()), gravity])) return;
    setText(this.title, t(gravity ? 'columns' : 'bestmoves'));
    this.count.hidden = gravity;
    const names = gravity ? ['drop', 'result', 'line'] : ['move', 'win', 'score', 'line'];
    this.head.replaceChildren(el('tr', null, ...names.map((name) => el('th', { scope: 'col' }, t(`col.${name}`))), el('td')));
    const active = this.body.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
    const focused = Number(active?.closest('tr')?.dataset.row ?? -1);
    const empty = () =>
      el(
        'tr',
        null,
        el('td', { colspan: names.length + 1 }, t(app.over() ? 'analysis.over' : source.running ? 'analysis.searching' : 'analysis.none')),
      );
    this.body.replaceChildren(...(this.rows.length ? this.rows.map((line, n) => this.row(line, n)) : [empty()]));
    const row = /** @type {HTMLElement | undefined} */ (this.body.children[focused]);
    (active?.matches('button') ? row?.querySelector('button') : row)?.focus();
  }

  /** Updates the values of the rows and keeps their order. */
  updateRows() {
    const lines = this.source.result?.lines ?? [];
    const byMove = new Map(lines.map((line) => [line.move, line]));
    this.rows.forEach((row, n) => {
      const line = byMove.get(row.move);
      const cells = this.body.children[n]?.children;
      if (!line || !cells || line === row) return;
      this.rows[n] = line;
      const best = lines[0] ?? line;
      cells[1]?.replaceChildren(this.pill(line, best));
      if (cells.length > 4) setText(/** @type {Element} */ (cells[2]), scoreText(line.score, line.bound));
      // The line under the mouse stays, so that a click plays what was seen.
      const last = this.body.children[n]?.querySelector('.pv');
      if (last?.matches(':hover')) this.rows[n] = { ...line, pv: row.pv };
      else last?.replaceChildren(...this.moves(line));
    });
  }

  /** @param {Line} line @param {number} n */
  row(line, n) {
    const best = this.rows[0] ?? line;
    const { gravity } = this.app.game.shape;
    const name = gravity ? moveText(line.move).slice(0, 1) : moveText(line.move);
    const isWhole = this.whole.has(line.move);
    return el(
      isWhole ? 'tr.whole' : 'tr',
      { tabindex: 0, 'data-row': n, 'aria-label': `${name}: ${outcomeWord(line)}`, 'aria-description': t('line.keys') },
      el('th', { scope: 'row' }, name),
      el('td', null, this.pill(line, best)),
      gravity ? null : el('td', null, scoreText(line.score, line.bound)),
      el('td.pv', null, ...this.moves(line)),
      el(
        'td.unfold',
        null,
        el(
          'button.link',
          { type: 'button', 'aria-expanded': isWhole, 'aria-label': t('line.whole', { move: name }) },
          icon('unfold', 'M6 8l4 4 4-4'),
        ),
        el('button.link.why', { type: 'button', 'aria-label': `${t('review.why')} ${name}` }, t('review.why')),
      ),
    );
  }

  /** The moves of a line after the first one, which has its own cell. @param {Line} line */
  moves(line) {
    const from = this.app.game.shape.gravity ? 0 : 1;
    return line.pv.slice(from).flatMap((move, n) => [el('span', { 'data-n': n + from + 1 }, moveText(move)), ' ']);
  }

  /** @param {Line} line @param {Line} best */
  pill(line, best) {
    const { gravity } = this.app.game.shape;
    if (!gravity) return el(`span.pill.${this.source.kind(line, best)}`, null, winText(line));
    const chip = this.source.chip(line);
    return el(`span.pill.${chip.kind}`, null, el('i', null, chip.sign), outcomeWord(line));
  }
}
