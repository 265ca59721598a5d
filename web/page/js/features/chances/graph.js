//! The first player's chances: the bar beside the board, and move by move a picture, a slider, and a table for screen readers.

import { MARKS, moveText } from '../../record/game.js';
import { byId, el, hasChanged, setAttribute, setText, svg, t } from '../../base/text.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */

/** @param {App} app */
export const mount = (app) => new Graph(app);

class Graph {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.host = byId('graph');
    this.picture = svg('svg', { 'aria-hidden': 'true', focusable: 'false' });
    this.host.append(this.picture);
    this.table = el('tbody', { id: 'graphtable' });
    this.signs = el(
      'p',
      { id: 'marklegend', hidden: true },
      ...Object.entries(MARKS).map(([sign, name]) =>
        el('span', null, el(`i.sign.${name}`), `${sign} `, el('span', { 'data-t': `mark.${name}` }, t(`mark.${name}`))),
      ),
    );
    this.host.after(
      this.signs,
      el('div.sr', null, el('table', null, el('caption', { 'data-t': 'chances.table' }, t('chances.table')), this.table)),
    );
    /** The data of the picture, as text, when it was drawn. @type {Map<string, string>} */
    this.drawn = new Map();
    this.width = 0;
    new ResizeObserver(() => {
      this.width = this.host.clientWidth;
      app.refresh();
    }).observe(this.host);
    const scrub = (/** @type {PointerEvent} */ event) => {
      const box = this.host.getBoundingClientRect();
      const line = app.game.line();
      const node = line[Math.round(((event.clientX - box.left) / box.width) * (line.length - 1))];
      if (node) app.goTo(node);
    };
    this.host.addEventListener('pointerdown', (event) => {
      this.host.setPointerCapture(event.pointerId);
      scrub(event);
    });
    this.host.addEventListener('pointermove', (event) => {
      if (this.host.hasPointerCapture(event.pointerId)) scrub(event);
    });
    this.host.addEventListener('keydown', (event) => {
      const steps = /** @type {Record<string, number>} */ ({
        ArrowLeft: -1,
        ArrowDown: -1,
        ArrowRight: 1,
        ArrowUp: 1,
        PageUp: -5,
        PageDown: 5,
        Home: -9999,
        End: 9999,
      });
      const step = steps[event.key];
      if (!step) return;
      event.preventDefault();
      app.step(step);
    });
  }

  /** Whether there are values to show, and they may be seen. */
  isShown() {
    const { app } = this;
    if (!app.barShown() || [...app.features.values()].some((feature) => feature.hidesValues)) return false;
    if (app.mode === 'analyse' && app.game.shape.gravity) return false;
    return app.game.line().filter((node) => node.share !== null).length > 1;
  }

  note() {
    const { app } = this;
    const share = app.shareShown();
    if (app.mode !== 'play') return t('chances.bymove', { side: app.sideName('first') });
    return share === null || !app.settings.chances ? '' : `${app.sideName('first')} ${Math.round(share / 10)} %`;
  }

  /** Shows or hides the card with its texts. */
  paintCard() {
    const { app } = this;
    const [card, isHidden] = [byId('chancescard'), !this.isShown()];
    // Its tab is drawn before.
    if (card.hidden !== isHidden) app.refresh();
    card.hidden = isHidden;
    setText(byId('chancesnote'), this.note());
    byId('hidechances').hidden = app.mode !== 'play';
  }

  paint() {
    const { app } = this;
    paintBar(app);
    this.paintCard();
    const line = app.game.line();
    const at = app.game.shown.ply;
    const shares = line.map((node) => node.share);
    for (const [name, value] of Object.entries({
      'aria-valuemax': line.length - 1,
      'aria-valuenow': at,
      'aria-valuetext': this.valueText(line[at]),
    }))
      setAttribute(this.host, name, value);
    if (
      !this.width ||
      !hasChanged(this.drawn, 'graph', [this.width, shares, at, line.map((node) => node.mark), app.colour('first'), this.host.clientHeight])
    )
      return;
    this.draw(line, at);
    this.signs.hidden = !line.some((node) => node.mark);
    this.table.replaceChildren(
      ...line
        .filter((node) => node.share !== null)
        .map((node) =>
          el(
            'tr',
            null,
            el('th', { scope: 'row' }, node.move ? `${node.ply} ${moveText(node.move)}` : t('start')),
            el('td', null, `${Math.round((node.share ?? 0) / 10)} % ${node.mark}`),
          ),
        ),
    );
  }

  /** @param {Node | undefined} node */
  valueText(node) {
    const move = node?.move ? `${node.ply} ${moveText(node.move)}` : t('start');
    return node?.share == null ? move : `${move}, ${this.app.sideName('first')} ${Math.round(node.share / 10)} %`;
  }

  /** @param {Node[]} line @param {number} at */
  draw(line, at) {
    const { width } = this;
    const height = this.host.clientHeight;
    setAttribute(this.picture, 'viewBox', `0 0 ${width} ${height}`);
    this.host.dataset.colours = this.app.colour('first') + this.app.colour('second');
    const x = (/** @type {number} */ ply) => (line.length > 1 ? (ply / (line.length - 1)) * width : 0);
    const y = (/** @type {number} */ share) => height * (1 - share / 1000);
    const known = line.filter((node) => node.share !== null);
    const parts = [];
    if (known.length > 1) {
      const points = known.map((node) => `${x(node.ply).toFixed(1)} ${y(node.share ?? 500).toFixed(1)}`).join('L');
      const [from, to] = [x(known[0]?.ply ?? 0), x(known.at(-1)?.ply ?? 0)];
      parts.push(svg('rect', { class: 'above', x: from, width: to - from, height }));
      parts.push(svg('path', { class: 'area', d: `M${from} ${height}L${points}V${height}Z` }));
    }
    parts.push(svg('path', { class: 'half', d: `M0 ${height / 2}H${width}` }));
    for (const node of known)
      if (node.mark) parts.push(markShape(MARKS[node.mark], within(x(node.ply), width), within(y(node.share ?? 500), height)));
    const now = within(x(at), width, DOT + 1);
    parts.push(svg('path', { class: 'now', d: `M${now} 0V${height}` }));
    const share = line[at]?.share;
    if (share != null) parts.push(svg('circle', { class: 'nowdot', cx: now, cy: within(y(share), height), r: DOT }));
    this.picture.replaceChildren(...parts);
  }
}

/** The radius of the dot at the position shown. */
const DOT = 4.5;

/** Limits a coordinate, so that the border cuts no mark off. @param {number} at @param {number} size @param {number} [edge] */
const within = (at, size, edge = 8) => Math.min(Math.max(at, edge), size - edge);

/** @param {string} kind @param {number} x @param {number} y */
function markShape(kind, x, y) {
  if (kind === 'doubtful') return svg('circle', { class: 'mark doubtful', cx: x, cy: y, r: 5 });
  const d = kind === 'mistake' ? 'M0 -6.5L6 5H-6Z' : 'M0 -7L7 0L0 7L-7 0Z';
  return svg('path', { class: `mark ${kind}`, transform: `translate(${x} ${y})`, d });
}

/** Draws the bar of chances, which is grey if they are unknown. @param {App} app */
function paintBar(app) {
  const bar = byId('bar');
  const share = app.shareShown();
  bar.hidden = !app.barShown();
  bar.classList.toggle('unknown', share === null);
  bar.dataset.colours = app.colour('first') + app.colour('second');
  const first = share === null ? 50 : share / 10;
  bar.style.setProperty('--share', `${first}%`);
  const [low = '', high = ''] = share === null ? [] : [Math.round(first), 100 - Math.round(first)].map(String);
  setText(/** @type {Element} */ (bar.querySelector('.low')), low === '0' ? '' : low);
  setText(/** @type {Element} */ (bar.querySelector('.high')), high === '0' ? '' : high);
  setAttribute(bar, 'aria-label', share === null ? t('bar.unknown') : t('bar.label', { side: app.sideName('first'), share: low }));
}
