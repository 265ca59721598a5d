//! The lines of a run: the log-likelihood ratio of its test, the evaluations of a game, the error of a rating.

import { roughShare } from '../../base/format.js';
import { svg, t } from '../../base/text.js';

/** Returns a line as the path of a picture. @param {[number, number][]} points */
const path = (points) => points.map(([x, y], n) => `${n ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

/** @param {number} width @param {number} height @param {string} label @param {...SVGElement} parts */
const chart = (width, height, label, ...parts) =>
  svg('svg', { class: 'run-chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label }, ...parts);

/** Draws the log-likelihood ratio of a test by its pairs, between its bounds. @param {import('./types.js').Test} test */
export function llrChart({ points, bounds: [low, high], llr, pairs }) {
  const [width, height, left] = [600, 200, 44];
  const all = points.map(([, value]) => value);
  const [least, most] = [Math.min(low, ...all), Math.max(high, ...all)];
  const x = (/** @type {number} */ pair) => left + (pair / Math.max(pairs, 1)) * (width - left - 8);
  const y = (/** @type {number} */ value) => 10 + ((most - value) / (most - least)) * (height - 34);
  const level = (/** @type {number} */ value, /** @type {string} */ kind) => [
    svg('path', { class: kind, d: `M${left} ${y(value).toFixed(1)}H${width - 8}` }),
    svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, value.toFixed(2)),
  ];
  return chart(
    width,
    height,
    t('run.llr', { llr: llr.toFixed(2), low: low.toFixed(2), high: high.toFixed(2), pairs }),
    ...level(high, 'run-bound'),
    ...level(low, 'run-bound'),
    ...level(0, 'run-axis'),
    svg('path', {
      class: 'run-one',
      d: path([[x(0), y(0)], ...points.map(([pair, value]) => /** @type {[number, number]} */ ([x(pair), y(value)]))]),
    }),
    svg('text', { x: left, y: height - 4 }, '0'),
    svg('text', { x: width - 8, y: height - 4, 'text-anchor': 'end' }, t('run.pairs', { n: pairs })),
  );
}

/** Reads a score of an engine: `+0.34`, or a win or loss as `+M5`. Returns the expected score of its side, from 0 to 1. @param {string} text */
function shareOfText(text) {
  if (text.includes('M')) return text.startsWith('+') ? 1 : 0;
  return roughShare({ cp: Number(text) * 100 }) / 1000;
}

/**
 * Draws what both engines said, for the side that moves first: above is good for it. `at`: the move shown.
 * @param {import('./types.js').RunGame} game @param {string[]} names @param {number | null} at
 */
export function scoreChart(game, names, at) {
  const [width, height] = [300, 70];
  const moves = Math.max(game.moves, game.opening_plies + 1);
  const x = (/** @type {number} */ ply) => (ply / moves) * width;
  const lines = [0, 1].map((side) =>
    game.scores.flatMap((text, n) => {
      if (text === null || (game.first + n) % 2 !== side) return [];
      const share = side === 0 ? shareOfText(text) : 1 - shareOfText(text);
      return [/** @type {[number, number]} */ ([x(game.opening_plies + n + 1), 3 + (1 - share) * (height - 6)])];
    }),
  );
  const label = [0, 1].map((side) => `${names[side]} ${game.scores.findLast((text, n) => text && (game.first + n) % 2 === side) ?? '–'}`);
  return chart(
    width,
    height,
    t('run.scores', { scores: label.join(', ') }),
    svg('path', { class: 'run-axis', d: `M0 ${height / 2}H${width}` }),
    ...lines.map((line, side) => svg('path', { class: side ? 'run-two' : 'run-one', d: path(line) })),
    ...(at === null ? [] : [svg('path', { class: 'run-bound', d: `M${x(at).toFixed(1)} 0V${height}` })]),
  );
}

/** Draws a rating with its error, between the least and the greatest one of all. @param {number} elo @param {number} error @param {[number, number]} range */
export function errorBar(elo, error, [least, most]) {
  const x = (/** @type {number} */ value) => (5 + ((value - least) / Math.max(most - least, 1)) * 130).toFixed(1);
  const [from, to] = [x(elo - error), x(elo + error)];
  return svg(
    'svg',
    { class: 'run-bar', viewBox: '0 0 140 14', 'aria-hidden': 'true' },
    svg('path', { class: 'run-axis', d: `M${from} 7H${to}M${from} 3V11M${to} 3V11` }),
    svg('circle', { class: 'run-dot', cx: x(elo), cy: 7, r: 3.5 }),
  );
}
