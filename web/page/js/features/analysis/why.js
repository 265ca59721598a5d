//! "Why?" about a move: the engine judges the positions before and after it, and the page tells the reason.

import { request } from '../../app/positions.js';
import { sentence } from '../../base/format.js';
import { languageNow, t } from '../../base/text.js';
import { moveText } from '../../record/game.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */
/** @typedef {NonNullable<import('../../protocol/client.js').Reply['reason']>} Reason */

/** The nodes of each of the two searches: as many as the analysis had, but not fewer and not more than these. */
const NODES = { least: 50_000, most: 1_000_000 };

/**
 * Tells why a move is good or bad.
 * @param {App} app @param {Node} before the position before the move @param {string} move
 * @param {{ line?: import('../../base/format.js').Line, isBest: boolean, nodes: number }} known what the analysis knows of the move
 * @param {() => void} done called at the end of the searches
 */
export function explain(app, before, move, { line, isBest, nodes }, done) {
  /** @type {Reason | null} */
  let reason = null;
  app.tell(t('review.judging', { move: moveText(move) }));
  const query = {
    ...app.game.query(before, before),
    action: /** @type {const} */ ('review'),
    moves: [move],
    nodes: Math.min(Math.max(nodes, NODES.least), NODES.most),
    threads: 1,
    include_reasons: true,
    language: languageNow(),
  };
  const { shown } = app.game;
  request(app, before, query, {
    valid: () => app.mode === 'analyse' && app.game.shown === shown,
    failed: done,
    on: (reply, last) => {
      reason = reply.reason ?? reason;
      if (!last) return;
      const isProven = line?.score.win_in !== undefined || line?.score.loss_in !== undefined;
      // What the best move loses against another search says nothing.
      const isKnown = reason && !((isProven || isBest) && reason.kind === 'quiet');
      app.tell(`${moveText(move)}: ${isKnown && reason ? sentence(reason.text) : t('analysis.nowhy')}`);
      app.setPreview(reason && preview(shown, before, move, reason));
      done();
    },
  });
}

/**
 * Returns the line of a reason as stones on the shown board; `null` if the board shows another position.
 * @param {Node} shown @param {Node} before @param {string} move @param {Reason} reason
 * @returns {import('../../app/state.js').State['preview']}
 */
function preview(shown, before, move, { kind, line, side }) {
  const isPlayed = shown.parent === before && shown.move === move;
  if (!line.length || (shown !== before && !isPlayed)) return null;
  const whole = kind === 'wins' || kind === 'misses_win' ? line : [move, ...line];
  if (isPlayed && whole[0] !== move) return null;
  const moves = isPlayed ? whole.slice(1) : whole;
  return moves.length ? { moves, kind: side === before.turn ? 'best' : 'bad', from: 'hint' } : null;
}
