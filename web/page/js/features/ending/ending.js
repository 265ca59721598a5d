//! The card of a finished game: who won, how, in how many moves, and what to do next.

import { byId, hasChanged, setText, t } from '../../base/text.js';

/** @param {import('../../app/app.js').App} app */
export function mount(app) {
  const drawn = new Map();
  return {
    paint() {
      const over = app.mode === 'play' && app.game.shown === app.game.live && app.over() !== null;
      byId('ending').hidden = !over;
      document.body.classList.toggle('ended', over);
      if (!over || !hasChanged(drawn, 'ending', [app.resultText(), app.game.live.ply, document.documentElement.lang])) return;
      setText(byId('endingtext'), app.resultText());
      setText(byId('endingmoves'), t('ending.moves', { n: app.game.live.ply }));
    },
    language: () => drawn.clear(),
  };
}
