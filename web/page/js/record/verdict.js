//! What is known about a win, in three words. A search that ended early is never a "no".

/** @typedef {import('./game.js').Side} Side */
/** @typedef {import('./game.js').Verdict} Verdict */

/**
 * Returns what the last reply of a search says about a win of a side.
 * @param {{ outcome?: string | null, proof?: { winner?: string | null } | null }} reply @param {Side} side @returns {Verdict}
 */
export function verdictOf({ outcome, proof }, side) {
  if (outcome) return outcome === side ? 'wins' : 'does_not_win';
  if (!proof) return 'no_win_found';
  return proof.winner === side ? 'wins' : 'does_not_win';
}

/**
 * Returns whether the last reply of a search proves a draw.
 * @param {{ outcome?: string | null, proof?: { winner?: string | null } | null }} reply
 */
export const isDraw = ({ outcome, proof }) => (outcome ? outcome === 'draw' : !!proof && !proof.winner);
