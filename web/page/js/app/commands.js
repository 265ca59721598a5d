//! Typed commands: points, and questions. The answers appear in the status, and screen readers read them.

import { t } from '../base/text.js';
import { indexOf, moveText, nameOf, onBoard, pointOf } from '../record/game.js';
import { clockText } from './state.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../record/game.js').Point} Point */

/** The four directions of lines through a point: name, step of column, step of row. */
const DIRECTIONS = /** @type {[string, number, number][]} */ ([
  ['row', 1, 0],
  ['column', 0, 1],
  ['rising', 1, 1],
  ['falling', 1, -1],
]);
/** How many points of a line are read on each side of the cursor. */
const REACH = 4;
let nextDirection = 0;

const COMMANDS = /** @type {Record<string, (app: App) => void>} */ ({
  last: (app) => app.tell(lastText(app)),
  clock: (app) => app.tell(clocksText(app)),
  clocks: (app) => app.tell(clocksText(app)),
  value: (app) => app.tell(valueText(app)),
  forbidden: (app) => app.tell(forbiddenText(app)),
  lines: (app) => app.tell(nextLine(app)),
  rows: (app) => app.tell(rowsText(app)),
  comment: (app) => app.tell(app.game.shown.comment || t('comment.none')),
  hint: (app) => app.act('hint'),
  undo: (app) => app.act('undo'),
  redo: (app) => app.act('redo'),
  resign: (app) => app.act('resign'),
  analysis: (app) => app.act('analysis'),
  threats: (app) => app.act('threats'),
  mistake: (app) => void app.run('mistake'),
});

/** Runs a typed command, or plays a typed point. @param {App} app @param {string} text */
export function run(app, text) {
  const word = text.trim().toLowerCase();
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (command) return command(app);
  if (app.opens && app.mode === 'play' && app.feature('opening').word(word)) return;
  const point = pointOfWord(app, word);
  if (!point) return app.tell(t('typed.unknown', { text: text.slice(0, 20), example: app.game.shape.gravity ? 'd' : 'h8' }));
  if (!app.game.target(app.game.shown, point)) return app.tell(t('typed.taken', { move: moveText(word) }));
  if (!app.mayPlay()) return app.tell(t('locked'));
  app.tap(point);
}

/** @param {App} app @param {string} word @returns {Point | null} */
function pointOfWord(app, word) {
  const { shape } = app.game;
  if (shape.gravity && /^([a-z]|\d{1,2})$/.test(word)) {
    const c = /\d/.test(word) ? Number(word) - 1 : word.charCodeAt(0) - 97;
    return onBoard({ c, r: 0 }, shape) ? { c, r: 0 } : null;
  }
  return pointOf(word, shape);
}

/** @param {App} app */
function lastText(app) {
  const node = app.game.shown;
  return node.move
    ? `${t('status.last', { side: app.sideName(node.side), move: moveText(node.move) })} ${t('label.move', { ply: node.ply })}`
    : t('start');
}

/** @param {App} app */
function clocksText(app) {
  const sides = /** @type {const} */ (['first', 'second']);
  const left = sides.map((side) => app.clockLeft(side));
  if (left[0] == null || left[1] == null) return t('clock.none');
  return sides.map((side, n) => `${app.sideName(side)} ${clockText(left[n] ?? 0)}`).join(', ');
}

/** @param {App} app */
function valueText(app) {
  const best = app.modeFeature?.best?.();
  if (best) return best;
  const share = app.shareShown();
  return share === null ? t('bar.unknown') : t('bar.label', { side: app.sideName('first'), share: Math.round(share / 10) });
}

/** @param {App} app */
function forbiddenText(app) {
  const { info } = app.game.shown;
  if (!info) return t('forbidden.unknown');
  const all = [...info.forbidden];
  return all.length ? all.map(([move, why]) => `${moveText(move)} ${t(`why.${why}`)}`).join(', ') : t('forbidden.none');
}

/** Names the content of a point: a colour, or empty. @param {App} app @param {Point} at */
function contentOf(app, at) {
  const stone = app.game.stones(app.game.shown)[indexOf(at, app.game.shape)];
  return stone ? app.sideName(stone.side) : t('label.empty');
}

/** Describes one line through the cursor; each call takes the next direction. @param {App} app */
function nextLine(app) {
  const at = app.cursorPoint() ?? { c: Math.floor(app.game.shape.w / 2), r: Math.floor(app.game.shape.h / 2) };
  const [name, dc, dr] = DIRECTIONS[nextDirection++ % DIRECTIONS.length] ?? ['row', 1, 0];
  const signs = [];
  for (let n = -REACH; n <= REACH; n++) {
    const point = { c: at.c + n * dc, r: at.r + n * dr };
    if (onBoard(point, app.game.shape)) signs.push(n === 0 ? `${moveText(nameOf(point))} ${contentOf(app, point)}` : contentOf(app, point));
  }
  return `${t(`line.${name}`)}: ${signs.join(', ')}`;
}

/** Lists all stones, row by row from the top. @param {App} app */
function rowsText(app) {
  const { shape } = app.game;
  const stones = app.game.stones(app.game.shown);
  const rows = [];
  for (let r = shape.h - 1; r >= 0; r--) {
    const row = [];
    for (let c = 0; c < shape.w; c++) {
      const stone = stones[indexOf({ c, r }, shape)];
      if (stone) row.push(`${moveText(nameOf({ c, r }))} ${app.sideName(stone.side)}`);
    }
    if (row.length) rows.push(row.join(', '));
  }
  return rows.length ? rows.join('; ') : t('board.empty');
}
