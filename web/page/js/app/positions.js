//! What features do with the positions of a game: ask about them, and change remarks and moves.

import { t } from '../base/text.js';
import { moveText } from '../record/game.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../record/game.js').Node} Node */
/** @typedef {import('../protocol/client.js').Reply} Reply */

/**
 * Asks the engine about a position, and returns the id of the query. A reply that comes after another game is shown, or when
 * `valid` is false, is dropped. An error is shown with a button that calls `again`.
 * @param {App} app @param {Node} node @param {import('../protocol/client.js').Query} query the fields besides those of the position
 * @param {{ on: (reply: Reply, last: boolean, id: string) => void, valid?: (id: string) => boolean, again?: () => void, failed?: (reply: Reply) => void }} handlers
 */
export function request(app, node, query, { on, valid = () => true, again, failed }) {
  const { game } = app;
  const id = app.client.ask({ ...game.query(node), ...query }, (reply, last) => {
    if (game !== app.game || !valid(id)) return;
    if (reply.type === 'warning') return app.addLog(reply.message);
    if (reply.type !== 'error') return on(reply, last, id);
    failed?.(reply);
    if (reply.code === 'forbidden' && app.client.room) app.fail(t('room.only'));
    else app.fail(reply.message ?? reply.code, again ? [{ text: t('retry'), act: again }] : []);
  });
  return id;
}

/**
 * Changes remarks of a move: comment, mark, flag, values. Remarks of the user are saved.
 * @param {App} app @param {Node} node @param {Partial<Node>} remarks @param {boolean} [saves]
 */
export function annotate(app, node, remarks, saves = true) {
  Object.assign(node, remarks);
  if ('comment' in remarks || 'mark' in remarks || 'flag' in remarks) app.game.changes++;
  if (saves) app.save();
  app.refresh();
}

/** Makes the path to a move the main line. @param {App} app @param {Node} node */
export function promote(app, node) {
  app.game.promote(node);
  app.save();
  app.refresh();
}

/** Removes a move and all moves after it. @param {App} app @param {Node} node */
export function remove(app, node) {
  app.game.remove(node);
  app.show(app.game.shown);
  app.save();
}

/**
 * Adds moves after the position shown as a variation, and shows the last of them.
 * @param {App} app @param {string[]} moves @param {number} [shown] how many of them are shown
 */
export function addLine(app, moves, shown = moves.length) {
  let node = app.game.shown;
  let end = node;
  moves.forEach((move, n) => {
    node = app.game.add(node, move);
    if (n < shown) end = node;
  });
  app.game.show(end);
  app.show(end);
  app.say(moves.map(moveText).join(' '));
  app.save();
}
