//! The question of the first visit, over the board: play, solve puzzles, or analyse. The last choice is remembered.

import { el, storedItem, storeItem, t } from '../../base/text.js';
import { shapeOf } from '../../record/game.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {'play' | 'friend' | 'puzzles' | 'analyse'} Start */

/** The key of the last choice in the browser's storage. */
const KEY = 'tengen.start';
/** What a beginner plays: the game without forbidden moves, against an engine that overlooks much. */
const BEGINNER = { variant: 'gomokufreestyle', level: 2 };

/** @param {App} app */
export const mount = (app) => new Welcome(app);

class Welcome {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {HTMLElement | null} */
    this.card = null;
    this.commands = { welcome: () => this.show() };
  }

  /** Asks what the user wants, or begins with the last choice. */
  begin() {
    const last = storedItem('local', KEY);
    if (last) this.choose(/** @type {Start} */ (last), false);
    else this.show();
  }

  show() {
    this.close();
    const { w, h } = shapeOf(BEGINNER.variant);
    const level = `${t('level.of', { level: BEGINNER.level })} – ${t(`level.${BEGINNER.level}`)}`;
    const texts = /** @type {[Start, string][]} */ ([
      ['play', `${t(`v.${BEGINNER.variant}`)}, ${w} × ${h} · ${level}`],
      ['friend', t('welcome.friend.more')],
      ['puzzles', t('welcome.puzzles.more')],
      ['analyse', t('welcome.analyse.more')],
    ]);
    const choice = (/** @type {[Start, string]} */ [start, more]) =>
      el(
        'button.welcomechoice',
        { type: 'button', 'data-start': start, onclick: () => this.choose(start) },
        el('b', null, t(`welcome.${start}`)),
        el('span', null, more),
      );
    const other = el('button.link', { type: 'button', 'data-start': 'other', onclick: () => this.other() }, t('welcome.else'));
    this.card = el(
      'section.welcome',
      {
        'aria-labelledby': 'welcometitle',
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key === 'Escape') this.choose('play', false);
        },
      },
      el('h2', { id: 'welcometitle' }, t('welcome.title')),
      ...texts.map(choice),
      other,
    );
    this.paint();
    this.app.board.host.append(this.card);
  }

  /** Only a server with rooms brings friends together. */
  paint() {
    const friend = /** @type {HTMLElement | null | undefined} */ (this.card?.querySelector('[data-start=friend]'));
    if (friend) friend.hidden = !this.app.version?.rooms;
  }

  close() {
    this.card?.remove();
    this.card = null;
  }

  /** Another position or game is shown: the user has begun. */
  follow() {
    if (this.app.game.shown.ply) this.close();
  }

  gameChanged() {
    this.close();
  }

  enter() {
    this.close();
  }

  language() {
    if (this.card) this.show();
  }

  other() {
    this.app.open('new');
  }

  /** @param {Start} start @param {boolean} [begins] whether a game for beginners begins */
  choose(start, begins = true) {
    const { app } = this;
    this.close();
    const begin = (then = () => {}) =>
      app.withPlay((play) => void play.newGame({ ...app.game, ...BEGINNER, shape: shapeOf(BEGINNER.variant) }).then(then));
    if (start === 'friend') return begin(() => app.open('new', start));
    storeItem('local', KEY, start);
    if (start === 'puzzles') return app.open('puzzles');
    if (start === 'analyse') return void app.setMode('analyse');
    if (begins) begin();
    app.board.moveTabStop(app.board.tabStop, true);
  }
}
