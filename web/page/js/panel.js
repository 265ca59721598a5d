//! The panel beside the board: players, status, chances, moves, and the bar of chances. It draws the
//! state of the application, and only the parts that have changed.

import { clockText, isNarrow } from './view-model.js';
import { byId, drawIcons, el, hasChanged, loadStyle, setAttribute, setText, svg, t } from './text.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Side} Side */

export class Panel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The data of each part, as text, when it was drawn. @type {Map<string, string>} */
    this.drawn = new Map();
    /** @type {import('./move-list.js').MoveList | null} */
    this.moves = null;
    /** @type {import('./graph.js').Graph | null} */
    this.graph = null;
    /** @type {Promise<void> | null} */
    this.loading = null;
    for (const [act, name] of Object.entries({ undo: 'undo', hint: 'bulb', back: 'back', forward: 'forward', more: 'more' })) {
      byId('bottom').append(el('button', { 'data-act': act, 'data-icon': name }, el('span', { 'data-t': act })));
    }
    drawIcons();
  }

  /** Makes the next `paint` draw everything, such as after a change of language. */
  reset() {
    this.drawn.clear();
    this.moves?.reset();
  }

  paint() {
    const { app } = this;
    this.paintHeader();
    this.paintPlayers();
    this.paintBar();
    setText(byId('status'), app.statusText());
    const choices = app.choices();
    if (hasChanged(this.drawn, 'choices', choices.map((choice) => choice.text))) {
      byId('choices').replaceChildren(...choices.map((choice) => el('button', { type: 'button', onclick: choice.act }, choice.text)));
    }
    byId('chancescard').hidden = !app.chancesShown();
    setText(byId('chancesnote'), app.chancesNote());
    byId('hidechances').hidden = app.mode !== 'play';
    if (app.game.root.children.length || this.moves) this.paintRecord();
    this.paintActions();
    this.paintConnection();
    const legend = app.legend();
    if (hasChanged(this.drawn, 'legend', legend)) {
      byId('legend').replaceChildren(...legend.map(([sign, text]) => el('span', null, el(`i.sign.${sign}`), text)));
    }
  }

  paintHeader() {
    const { app } = this;
    const { variant, w, h, k } = app.game.shape;
    const rule = variant === 'custom' ? t('inrow', { k }) : variant === 'gomoku' && t('exact');
    const more = app.mode === 'play' ? !isNarrow() && app.clockWords() : t('move.of', { at: app.game.shown.ply, all: app.game.line().length - 1 });
    setText(byId('game'), t(`v.${variant}`));
    setText(byId('about'), [`${w} × ${h}`, rule, more].filter(Boolean).join(' · '));
  }

  paintPlayers() {
    const { app } = this;
    for (const side of /** @type {Side[]} */ (['first', 'second'])) {
      const card = byId(side);
      const turn = app.game.shown.turn === side && !app.over();
      const left = app.clockLeft(side);
      const low = left !== null && left < 20_000;
      card.classList.toggle('turn', turn);
      card.classList.toggle('won', app.over()?.winner === side);
      if (hasChanged(this.drawn, side, app.colour(side))) card.querySelector('.coin')?.replaceWith(coin(app.colour(side)));
      setText(/** @type {Element} */ (card.querySelector('b')), app.playerName(side));
      setText(/** @type {Element} */ (card.querySelector('small')), app.playerNote(side, turn));
      const clock = /** @type {HTMLElement} */ (card.querySelector('output'));
      clock.hidden = left === null;
      clock.classList.toggle('low', low);
      if (left !== null) setText(clock, `${clockText(left)}${low ? ` ${t(left <= 0 ? 'clock.fallen' : 'clock.low')}` : ''}`);
    }
  }

  /** Draws the bar of chances, which is grey if they are unknown. */
  paintBar() {
    const { app } = this;
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

  /** Draws the list of moves and the graph. They are loaded with the first move. */
  paintRecord() {
    if (this.moves && this.graph) {
      this.moves.paint();
      this.graph.paint();
    } else {
      this.loading ??= Promise.all([import('./move-list.js'), import('./graph.js'), loadStyle('record')]).then(([moves, graph]) => {
        this.moves = new moves.MoveList(this.app);
        this.graph = new graph.Graph(this.app);
        this.app.refresh();
      });
    }
  }

  paintActions() {
    const { app } = this;
    for (const button of document.querySelectorAll('[data-act]')) {
      const act = /** @type {HTMLElement} */ (button).dataset.act ?? '';
      /** @type {HTMLButtonElement} */ (button).disabled = !app.can(act);
    }
    const over = app.over() !== null;
    if (hasChanged(this.drawn, 'actions', [over, app.resigning])) {
      for (const button of document.querySelectorAll('[data-when]')) {
        /** @type {HTMLElement} */ (button).hidden = (/** @type {HTMLElement} */ (button).dataset.when === 'over') !== over;
      }
      for (const label of document.querySelectorAll('[data-act=resign] span')) setText(label, t(app.resigning ? 'resign.sure' : 'resign'));
    }
    for (const tab of document.querySelectorAll('[data-mode]')) {
      if (tab instanceof HTMLButtonElement) setAttribute(tab, 'aria-pressed', tab.dataset.mode === app.mode);
    }
  }

  paintConnection() {
    const { app } = this;
    const dot = byId('connection');
    dot.dataset.state = app.connection.state;
    setText(/** @type {Element} */ (dot.lastElementChild), t(`conn.${app.connection.state}`));
    const banner = byId('banner');
    const text = app.bannerText();
    banner.hidden = !text;
    setText(byId('bannertext'), text);
  }
}

/** Draws the stone beside a player's name. @param {string} colour */
function coin(colour) {
  const disk = svg('circle', { class: 'disk', r: 13 });
  const sign = colour === 'r' ? svg('circle', { class: 'sign', r: 7.5 }) : colour === 'y' ? svg('path', { class: 'sign', d: 'M0 -7L7 0L0 7L-7 0Z' }) : null;
  return svg('svg', { class: `coin stone ${colour}`, viewBox: '-14 -14 28 28', 'aria-hidden': 'true' }, disk, sign);
}
