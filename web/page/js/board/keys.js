//! The keys of the board, and the few that work everywhere. Plain letters and digits are coordinates.
//! So commands take Shift, and no letter has two meanings.

import { moveText, nameAt } from '../record/game.js';

/** @typedef {import('./view.js').Controls} App */

/** The commands of letters with Shift. */
const COMMANDS = /** @type {Record<string, string>} */ ({
  l: 'last',
  c: 'clocks',
  v: 'value',
  f: 'forbidden',
  x: 'lines',
  s: 'rows',
  h: 'hint',
  a: 'analysis',
  m: 'mistake',
  t: 'threats',
});
const STEPS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
});

/** Returns the Latin letter or digit of a key in any keyboard layout, or ''. @param {KeyboardEvent} event */
export function plainKey({ key, code }) {
  if (/^[a-z0-9]$/i.test(key)) return key.toLowerCase();
  if (/^Key[A-Z]$/.test(code)) return code.slice(3).toLowerCase();
  return /^(Digit|Numpad)\d$/.test(code) ? code.slice(-1) : '';
}

/** Handles a key on the board. Returns whether the key has a meaning. @param {App} app @param {KeyboardEvent} event */
export function boardKey(app, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return globalKey(app, event);
  const step = STEPS[event.key];
  if (step) return moveCursor(app, ...step);
  switch (event.key) {
    case 'Enter':
    case ' ':
      return enter(app);
    case 'Home':
      return moveCursor(app, -99, 0);
    case 'End':
      return moveCursor(app, 99, 0);
    case 'Backspace':
      return backspace(app, event.shiftKey);
  }
  if (globalKey(app, event)) return true;
  const plain = plainKey(event);
  if (event.shiftKey && COMMANDS[plain]) return (app.command(COMMANDS[plain]), true);
  if (!plain || event.shiftKey) return false;
  app.setTyped((app.typed + plain).slice(0, 3));
  return true;
}

/** Handles a key anywhere outside a text field. Returns whether the key has a meaning. @param {App} app @param {KeyboardEvent} event */
export function globalKey(app, event) {
  const ctrl = event.ctrlKey || event.metaKey;
  const plain = ctrl ? plainKey(event) : '';
  if (plain === 'z') return (app.act(event.shiftKey ? 'redo' : 'undo'), true);
  if (plain === 'y') return (app.act('redo'), true);
  if (event.altKey) return false;
  switch (`${ctrl ? 'Ctrl+' : ''}${event.key}`) {
    case 'Ctrl+Home':
      return (app.step(-9999), true);
    case 'Ctrl+End':
      return (app.step(9999), true);
    case 'Ctrl+ArrowUp':
      return (otherVariation(app, -1), true);
    case 'Ctrl+ArrowDown':
      return (otherVariation(app, 1), true);
    case 'PageUp':
      return (app.step(-1), true);
    case 'PageDown':
      return (app.step(1), true);
    case '?':
      return (app.act('keys'), true);
    case 'Escape':
      return app.clearInput();
    default:
      return false;
  }
}

/** @param {App} app @param {number} dc @param {number} dr */
function moveCursor(app, dc, dr) {
  const { w, h } = app.game.shape;
  const at = app.board.tabStop;
  const c = Math.min(Math.max((at % w) + dc, 0), w - 1);
  const r = Math.min(Math.max(Math.floor(at / w) + dr, 0), h - 1);
  app.setTyped('');
  app.board.moveTabStop(r * w + c, true);
  app.setCursor(r * w + c);
  return true;
}

/** Plays the typed point, else the point of the cursor. @param {App} app */
function enter(app) {
  const { typed } = app;
  const at = app.board.tabStop;
  app.setTyped('');
  app.command(typed || moveText(nameAt(at, app.game.shape)));
  return true;
}

/** @param {App} app @param {boolean} shift */
function backspace(app, shift) {
  if (app.typed && !shift) app.setTyped(app.typed.slice(0, -1));
  else app.act(shift ? 'redo' : 'undo');
  return true;
}

/** Goes to another variation of this move, or of the nearest earlier move that has one. @param {App} app @param {number} step */
function otherVariation(app, step) {
  for (let node = /** @type {import('../record/game.js').Node | null} */ (app.game.shown); node?.parent; node = node.parent) {
    const { children } = node.parent;
    if (children.length < 2) continue;
    const next = children[(children.indexOf(node) + step + children.length) % children.length];
    if (next) app.goTo(next);
    return;
  }
}
