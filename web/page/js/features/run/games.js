//! The games of a run: small boards of those that are played now, the list of the finished ones, and one to step through.

import { Replay, watchedBoard } from '../../app/replay.js';
import { byId, el, setText, t } from '../../base/text.js';
import { Game, shapeOf } from '../../record/game.js';
import { readLink } from '../../record/link.js';
import { scoreChart } from './charts.js';

/** @typedef {import('./types.js').RunGame} RunGame */

/** The largest number of small boards. */
const BOARDS = 12;

/** The number of finished games that stay listed while new ones come. Older ones come back by a button. */
const LISTED = 1000;

/** Returns a game of a run for the board; an empty board if the board does not have its rules. @param {RunGame} game */
function gameOf({ link }) {
  try {
    return readLink(`#${link ?? ''}`);
  } catch {
    return new Game(shapeOf('renju'));
  }
}

/** Writes a time as a clock: `1:02:03`, `2:03`. @param {number} seconds */
export function clockText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** The number of rows of a part of the list. The browser lays out only the parts in view. */
const PART = 100;

/** Lets the browser do something else, so that no task is long. */
const pause = () => new Promise((resolve) => setTimeout(resolve));

/** A small board of a game that is played now. */
class Card {
  constructor() {
    this.host = el('div.run-host', { inert: true });
    this.players = [el('p'), el('p')];
    this.curve = el('div');
    this.root = el('div.run-card', null, this.players[1], this.host, this.players[0], this.curve);
    this.board = watchedBoard(this.host, new Game(shapeOf('renju')));
    this.shown = '';
  }

  /** @param {RunGame} game @param {string[]} names */
  show(game, names) {
    for (const [side, node] of this.players.entries()) {
      const left = game.left_millis?.[side];
      const score = game.scores.findLast((text, n) => text && (game.first + n) % 2 === side) ?? '';
      const parts = [names[side] ?? '', [score, left == null ? '' : clockText(left / 1000)].filter(Boolean).join(' · ')];
      if (node.childElementCount !== 2) node.replaceChildren(el('b'), el('span'));
      parts.forEach((text, n) => setText(/** @type {Element} */ (node.children[n]), text));
    }
    const key = `${game.id} ${game.link}`;
    if (key === this.shown) return;
    this.shown = key;
    this.board.state.game = gameOf(game);
    this.board.paint();
    this.curve.replaceChildren(scoreChart(game, names, null));
  }
}

/** The games that are played now. */
export class LiveGames {
  constructor() {
    /** @type {Card[]} */
    this.cards = [];
    this.host = /** @type {Element} */ (byId('live').querySelector('.run-boards'));
  }

  /** @param {RunGame[] | null} running @param {(player: number) => string} nameOf */
  async show(running, nameOf) {
    const games = running ?? [];
    byId('live').hidden = games.length === 0;
    for (const card of this.cards.splice(games.length)) card.root.remove();
    for (const [n, game] of games.slice(0, BOARDS).entries()) {
      const card = (this.cards[n] ??= new Card());
      if (!card.root.isConnected) this.host.append(card.root);
      card.show(game, game.players.map(nameOf));
      await pause();
    }
    const others = games.slice(BOARDS).map((game) => game.players.map(nameOf).join(' – '));
    setText(byId('others'), others.join(', '));
  }
}

/** The finished games: the list, the newest first, and the game that is stepped through. */
export class FinishedGames {
  /** @param {(from: number) => Promise<RunGame[]>} load returns the games from a number of the journal on @param {(player: number) => string} nameOf */
  constructor(load, nameOf) {
    this.load = load;
    this.nameOf = nameOf;
    /** @type {Map<number, RunGame>} */
    this.byId = new Map();
    /** The range of the journal that is listed. */
    this.from = this.to = 0;
    this.most = LISTED;
    this.edition = 0;
    this.list = /** @type {Element} */ (byId('finished').querySelector('table'));
    this.list.setAttribute('role', 'table');
    /** @type {Replay | null} */
    this.replay = null;
    /** @type {RunGame | null} */
    this.game = null;
    const head = ['run.game', 'run.first', 'run.second', 'run.result', 'run.moves', 'run.end'];
    const cells = head.map((key, n) => el(n === 1 || n === 2 || n === 5 ? 'th.run-text' : 'th', { role: 'columnheader' }, t(key)));
    this.list.append(el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, ...cells)));
    byId('more').addEventListener('click', () => void this.more());
    addEventListener('hashchange', () => void this.openHash());
  }

  /** Lists the games that are new; all again in a new edition of the journal. @param {number} count the number of all @param {number} edition */
  async update(count, edition) {
    if (edition !== this.edition) {
      this.edition = edition;
      for (const body of this.list.querySelectorAll('tbody')) body.remove();
      this.byId.clear();
      this.from = this.to = 0;
    }
    if (this.to === 0) this.from = this.to = Math.max(0, count - 100);
    const isFirst = this.byId.size === 0;
    while (this.to < count) {
      const games = await this.load(this.to);
      if (games.length === 0) break;
      this.to += games.length;
      for (const game of games) this.newest().prepend(this.row(game));
    }
    this.drop(this.to - this.from - this.most);
    this.paint();
    if (isFirst) await this.openHash();
  }

  /** Returns the part of the list for one more new game. */
  newest() {
    const first = this.list.querySelector('tbody');
    if (first && first.childElementCount < PART) return first;
    const body = el('tbody', { role: 'rowgroup' });
    this.list.querySelector('thead')?.after(body);
    return body;
  }

  /** Removes the oldest games of the list. @param {number} count */
  drop(count) {
    for (let n = 0; n < count; n++) {
      const body = this.list.lastElementChild;
      const oldest = body?.lastElementChild;
      this.byId.delete(Number(oldest?.querySelector('a')?.textContent));
      oldest?.remove();
      if (body?.childElementCount === 0) body.remove();
      this.from++;
    }
  }

  /** Lists older games. */
  async more() {
    const end = this.from;
    const from = Math.max(0, end - 100);
    const games = (await this.load(from)).slice(0, end - from);
    this.most = Math.max(this.most, this.to - from);
    this.from = from;
    this.list.append(el('tbody', { role: 'rowgroup' }, ...games.toReversed().map((game) => this.row(game))));
    this.paint();
  }

  paint() {
    byId('finished').hidden = this.to === 0;
    byId('more').hidden = this.from === 0;
  }

  /** @param {RunGame} game */
  row(game) {
    this.byId.set(game.id, game);
    const [first = 0, second = 0] = game.players;
    const cell = { role: 'cell' };
    return el(
      'tr',
      { role: 'row' },
      el('td', cell, el('a', { href: `#game-${game.id}` }, String(game.id))),
      el('td.run-text', cell, this.nameOf(first)),
      el('td.run-text', cell, this.nameOf(second)),
      el('td', cell, game.score ?? ''),
      el('td', cell, String(game.moves)),
      el('td.run-long', cell, [game.text, game.counted ? '' : t('run.late')].filter(Boolean).join(' · ')),
    );
  }

  /** Opens the game that the address names, if there is one. */
  async openHash() {
    const id = Number(/^#game-(\d+)$/.exec(location.hash)?.[1]);
    if (!id) return;
    while (!this.byId.has(id) && this.from > 0) await this.more();
    const game = this.byId.get(id);
    if (game) await this.open(game);
  }

  /** Opens a game: first its words, then the board. @param {RunGame} game */
  async open(game) {
    this.game = game;
    const [first = 0, second = 0] = game.players;
    byId('replay').hidden = false;
    setText(byId('replaytitle'), `${game.id} · ${this.nameOf(first)} – ${this.nameOf(second)} ${game.score ?? ''}`);
    const facts = [game.text, game.opening, game.seconds === undefined ? '' : clockText(game.seconds), game.started, game.worker];
    setText(byId('replaywords'), facts.filter(Boolean).join(' · '));
    byId('replaytitle').focus();
    await pause();
    if (this.game !== game) return;
    const shown = gameOf(game);
    if (!this.replay) {
      const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (byId('replay').querySelectorAll('[data-step]'));
      this.replay = new Replay({ host: byId('replayboard'), status: byId('status'), buttons }, shown);
      this.replay.listen(byId('replay'));
      this.replay.onPaint = () => this.paintCurve();
    }
    this.replay.show(shown);
  }

  paintCurve() {
    const { game, replay } = this;
    if (game && replay) byId('replaycurve').replaceChildren(scoreChart(game, game.players.map(this.nameOf), replay.game.shown.ply));
  }
}
