//! The panel beside the board: players, status, chances, moves, and the bar of chances. It draws the
//! state of the application, and only the parts that have changed.

import { byId, drawIcons, el, loadStyle, setAttribute, setText, svg, t } from './text.js';

/** Whether the page is as narrow as a phone. */
export const isNarrow = () => matchMedia('(max-width: 699px)').matches;

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Node} Node */
/** @typedef {import('./game.js').Side} Side */

/** Writes a time as minutes and seconds; below 20 s as seconds and tenths. @param {number} ms */
export function clockText(ms) {
  const left = Math.max(ms, 0);
  if (left < 20_000) return (Math.floor(left / 100) / 10).toFixed(1);
  const seconds = Math.floor(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** A move as the page shows it: `H8`. @param {string} move */
export const moveText = (move) => move.toUpperCase();

export class Panel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.keys = /** @type {Map<string, string>} */ (new Map());
    /** @type {import('./moves.js').MoveList | null} */
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

  /** Calls `draw` if `data` has changed since the last call with this name. @param {string} name @param {unknown} data @param {() => void} draw */
  ifChanged(name, data, draw) {
    const key = JSON.stringify(data);
    if (this.keys.get(name) === key) return;
    this.keys.set(name, key);
    draw();
  }

  /** Makes the next `paint` draw everything, such as after a change of language. */
  reset() {
    this.keys.clear();
    this.moves?.reset();
  }

  paint() {
    const { app } = this;
    this.paintHeader();
    this.paintPlayers();
    this.paintBar();
    setText(byId('status'), app.statusText());
    this.ifChanged('choices', app.choices().map((choice) => choice.text), () =>
      byId('choices').replaceChildren(...app.choices().map((choice) => el('button', { type: 'button', onclick: choice.act }, choice.text))));
    byId('chancescard').hidden = !app.chancesShown();
    setText(byId('chancesnote'), app.chancesNote());
    byId('hidechances').hidden = app.mode !== 'play';
    if (app.game.root.children.length || this.moves) this.paintRecord();
    this.paintActions();
    this.paintConnection();
    this.ifChanged('legend', app.legend(), () => byId('legend').replaceChildren(...app.legend().map(([sign, text]) => el('span', null, el(`i.sign.${sign}`), text))));
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
      const turn = app.turnOf() === side && !app.over();
      const left = app.clockLeft(side);
      const low = left !== null && left < 20_000;
      card.classList.toggle('turn', turn);
      card.classList.toggle('won', app.over()?.winner === side);
      this.ifChanged(`stone ${side}`, app.colour(side), () => card.querySelector('.coin')?.replaceWith(coin(app.colour(side))));
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
      this.loading ??= Promise.all([import('./moves.js'), import('./graph.js'), loadStyle('record')]).then(([moves, graph]) => {
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
    this.ifChanged('actions', [app.over() !== null, app.resigning], () => {
      for (const button of document.querySelectorAll('[data-when]')) {
        /** @type {HTMLElement} */ (button).hidden = (/** @type {HTMLElement} */ (button).dataset.when === 'over') !== (app.over() !== null);
      }
      for (const label of document.querySelectorAll('[data-act=resign] span')) setText(label, t(app.resigning ? 'resign.sure' : 'resign'));
    });
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
