//! The comment of the move shown, beside the moves.

import { byId, setText } from '../../base/text.js';

/** @param {import('../../app/app.js').App} app */
export function mount(app) {
  const card = byId('commentcard');
  return {
    paint() {
      const { comment } = app.game.shown;
      card.hidden = !comment;
      setText(byId('commenttext'), comment);
    },
  };
}
