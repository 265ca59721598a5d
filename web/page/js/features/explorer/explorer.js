//! The explorer: what the games of the server's shelf played in the position shown, and with what result. It shows the
//! comments of people on the position, and opens a game. Where the server lets clients change the shelf, it loads the desk.

import { addLine } from '../../app/positions.js';
import { scoreText, shortNumber } from '../../base/format.js';
import { reveal } from '../../app/tabs.js';
import { byId, el, t } from '../../base/text.js';
import { indexOf, moveText, pointOf } from '../../record/game.js';
import { readSgf } from '../../record/sgf.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */
/** @typedef {import('../../protocol/client.js').Reply} Reply */
/** @typedef {{ games: number, wins: number, draws: number, losses: number, last: string | null }} Results */
/** @typedef {Results & { move: string, score: import('../../protocol/types.js').Score | null, label: string | null, tree: boolean }} Move */
/** @typedef {import('./desk.js').Game & { plies: number }} ShelfGame */
/** @typedef {import('./desk.js').Note} Note */

/** @typedef {Results & { score: Move['score'], label: string | null, notes: Note[], other_orders: { move: string, games: number }[], last_change: number, moves: Move[], on_board: number, not_indexed: number, found: number | null, not_listed: 'too_many' | 'time' | null, list: ShelfGame[] }} Explored */

/** How many games are listed at first, and after each request for more. */
const PAGE = 20;

/** @param {App} app */
export const mount = (app) => new Explorer(app);

class Explorer {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** Whether the panel is open. */
    this.isOpen = false;
    /** The query under way. @type {string | null} */
    this.id = null;
    /** The position that was asked for. @type {Node | null} */
    this.node = null;
    /** The games listed so far. @type {ShelfGame[]} */
    this.list = [];
    /** The moves of the shelf, in the position of `node`. @type {Move[]} */
    this.moves = [];
    /** What changes the shelf, if the server lets clients do so. @type {import('./desk.js').Desk | null} */
    this.desk = null;
    this.body = el('div');
    this.card = el(
      'section.card.explorer',
      { id: 'explorercard', 'data-pane': 'moves', tabindex: -1, 'aria-labelledby': 'explorertitle', hidden: true },
      el('h2', { id: 'explorertitle' }, t('explorer')),
      el('span.note', null, el('button.link', { type: 'button', onclick: () => this.close() }, t('hide'))),
      this.body,
    );
    byId('commentcard').after(this.card);
    this.commands = { explorer: () => this.open() };
  }

  open() {
    this.isOpen = true;
    this.card.hidden = false;
    this.ask();
    reveal(this.card);
    void this.app.loaded(this.loadDesk());
  }

  /** Loads the desk, if the server lets clients change the shelf. */
  async loadDesk() {
    const { edit } = await this.app.client.reply({ action: 'query_version' });
    if (!edit) this.desk = null;
    if (!edit || this.desk) return;
    const { Desk } = await import('./desk.js');
    this.desk = new Desk(this);
    if (this.isOpen) this.ask();
    // Another tab may have changed the shelf.
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.isOpen) this.ask();
    });
  }

  close() {
    this.isOpen = false;
    this.card.hidden = true;
    this.drop();
    byId('movescard').querySelector('button')?.focus();
  }

  drop() {
    this.app.client.cancel(this.id);
    this.id = null;
    this.node = null;
    this.moves = [];
  }

  /** Another position is shown. @param {Node} node */
  follow(node) {
    if (this.isOpen && this.node !== node) this.ask();
  }

  gameChanged() {
    this.drop();
  }

  connected() {
    if (!this.isOpen) return;
    this.ask();
    void this.app.loaded(this.loadDesk());
  }

  language() {
    this.card.querySelector('h2')?.replaceChildren(t('explorer'));
    this.card.querySelector('.note button')?.replaceChildren(t('hide'));
    if (this.isOpen) this.ask();
  }

  /** Asks about the position shown, or for more of its games. @param {number} [offset] */
  ask(offset = 0) {
    const { app } = this;
    const node = app.game.shown;
    this.drop();
    this.node = node;
    const query = { ...app.game.query(node), action: /** @type {const} */ ('explore'), offset, limit: PAGE };
    this.id = app.client.ask(query, (reply) => {
      if (reply.type === 'warning') return app.addLog(reply.message);
      this.id = null;
      if (reply.type === 'error') return this.show(el('p', { role: 'status' }, this.whyNot(reply)));
      const known = /** @type {Explored} */ (/** @type {unknown} */ (reply));
      this.list = offset ? [...this.list, ...known.list] : known.list;
      this.moves = known.moves;
      app.refresh();
      this.draw(known, offset);
    });
  }

  /** Marks the moves of the shelf with their labels, or with how many games have them. @param {import('../../board/view.js').Scene} scene */
  scene(scene) {
    const { app, moves } = this;
    if (!moves.length || this.node !== app.game.shown || app.preview) return;
    scene.tree = moves.flatMap(({ move, label, games }) => {
      const point = pointOf(move, app.game.shape);
      if (!point) return [];
      const i = indexOf(point, app.game.shape);
      scene.words.set(
        i,
        [scene.words.get(i), label, games ? t('explorer.games', { n: games }) : t('explorer.tree')].filter(Boolean).join(', '),
      );
      return [{ i, text: label && label.length <= 3 ? label : games ? shortNumber(games) : '+' }];
    });
  }

  /** @param {Reply} reply */
  whyNot(reply) {
    return reply.code === 'interrupted' ? t('explorer.slow') : String(reply.message ?? reply.code);
  }

  /** @param {...(HTMLElement | false | null)} parts */
  show(...parts) {
    const hadFocus = this.body.contains(document.activeElement);
    this.body.replaceChildren(...parts.filter((part) => part !== false && part !== null));
    if (hadFocus) this.card.focus();
  }

  /** @param {Explored} known @param {number} from the number of games that were listed before */
  draw(known, from) {
    const { games, score, label, notes, moves, other_orders: orders, on_board: onBoard, not_indexed: waiting } = known;
    const facts = [
      t('explorer.games', { n: games }),
      games > 0 && sharesOf(known),
      score && t('explorer.value', { value: scoreText(score) }),
      waiting > 0 && t('explorer.waiting', { n: waiting }),
      !games && !onBoard && t('explorer.noboard'),
    ];
    this.show(
      el('p', { role: 'status' }, facts.filter(Boolean).join(' · ')),
      ...(label && notes.every((note) => note.label !== label) ? [el('p.said', null, label)] : []),
      ...notes.map((note) => this.said(note)),
      orders.length > 0 && el('p', null, t('explorer.also', { moves: orders.map(orderText).join(', ') })),
      ...(this.desk?.parts(known) ?? []),
      moves.length > 0 && this.movesTable(moves),
      ...this.games(known),
    );
    const next = this.body.querySelectorAll('[data-shelf]')[from];
    if (from && next instanceof HTMLElement) next.focus();
  }

  /** A comment of a person, with who wrote it and when. @param {Note} note */
  said(note) {
    const { text, label, author, at } = note;
    const by = [author, at].filter(Boolean).join(', ');
    return el(
      'p.said',
      null,
      [label, text].filter(Boolean).join(' · '),
      by ? el('small', null, ` ${by}`) : null,
      ...(this.desk?.note(note) ?? []),
    );
  }

  /** @param {Move[]} moves */
  movesTable(moves) {
    const head = ['explorer.move', 'explorer.count', 'col.result', 'explorer.last', 'explorer.label'];
    return el(
      'table.lines',
      { 'aria-label': t('explorer.moves') },
      el('thead', null, el('tr', null, ...head.map((key) => el('th', { scope: 'col' }, t(key))))),
      el('tbody', null, ...moves.map((move) => this.row(move))),
    );
  }

  /** @param {Move} known */
  row(known) {
    const { move, games, last, score, label, tree } = known;
    const play = el('button.link', { type: 'button', 'data-move': move, onclick: () => this.play(move) }, moveText(move));
    const remarks = [label ?? (tree && t('explorer.tree')), score && scoreText(score)];
    return el(
      'tr',
      null,
      el('th', { scope: 'row' }, play),
      el('td', null, shortNumber(games)),
      el('td', null, games > 0 ? barOf(known) : '–'),
      el('td', null, last ?? ''),
      el('td', null, remarks.filter(Boolean).join(' ')),
    );
  }

  /** Shows the position after a move. @param {string} move */
  play(move) {
    const { app } = this;
    void app.setMode('analyse').then(() => addLine(app, [move]));
  }

  /** The games that reached the position. @param {Explored} known */
  games({ found, not_listed: why }) {
    if (found === null) return [el('p', null, t(why === 'time' ? 'explorer.late' : 'explorer.toomany'))];
    const { list } = this;
    if (!list.length) return [];
    const line = (/** @type {ShelfGame} */ game) =>
      el(
        'li',
        null,
        el('button.link', { type: 'button', 'data-shelf': game.game, onclick: () => this.read(game) }, titleOf(game)),
        this.desk?.gameButton(game, titleOf(game)),
      );
    const more = el('button.link', { type: 'button', onclick: () => this.ask(list.length) }, t('explorer.more'));
    return [el('h3', null, t('explorer.list')), el('ul.shelfgames', null, ...list.map(line)), list.length < found ? more : null];
  }

  /** Opens a game with its comments and variations, at the position shown. @param {ShelfGame} game */
  read({ game: id }) {
    const { app } = this;
    const { shown } = app.game;
    const ply = app.game.hasSetup ? 0 : shown.ply;
    let text = '';
    app.client.ask({ action: 'read_game', game: id }, (reply, last) => {
      if (reply.type === 'error') return app.fail(reply.message ?? reply.code);
      text += reply.text ?? '';
      // The user may have gone on since.
      if (last && app.game.shown === shown) void this.use(text, ply);
    });
  }

  /** @param {string} text @param {number} ply */
  async use(text, ply) {
    const { app } = this;
    let game;
    try {
      game = readSgf(text);
    } catch (error) {
      const why = /** @type {any} */ (error);
      if (!why.key) throw error;
      return app.fail(t('import.at', { line: why.line, column: why.column, why: t(why.key, { what: why.what }) }));
    }
    game.seats = { first: 'you', second: 'you' };
    const node = game.line()[ply];
    if (node) game.show(node);
    await app.setMode('analyse');
    await app.useGame(game, { undo: t('games.opened') });
  }
}

/** The results in words: won, drawn, lost. @param {Results} results */
const sharesOf = ({ wins, draws, losses }) => t('explorer.results', { wins, draws, losses });

/** Another last move that leads to the position. @param {{ move: string, games: number }} order */
const orderText = ({ move, games }) => `${moveText(move)} (${games ? t('explorer.games', { n: games }) : t('explorer.tree')})`;

/** Draws results as a bar, which stays empty for games without a known result. @param {Results} results */
function barOf(results) {
  const { games, wins, draws, losses } = results;
  const part = (/** @type {string} */ kind, /** @type {number} */ size) => {
    const span = el(`span.${kind}`);
    span.style.flexGrow = String(size);
    return span;
  };
  return el(
    'div.shares',
    { role: 'img', 'aria-label': sharesOf(results), title: sharesOf(results) },
    part('wins', wins),
    part('draws', draws),
    part('losses', losses),
    part('unknown', games - wins - draws - losses),
  );
}

/** @param {ShelfGame} game */
function titleOf({ first, second, event, date, result }) {
  const score = result === 'first' ? '1-0' : result === 'second' ? '0-1' : result === 'draw' ? '½-½' : '';
  return [`${first ?? '?'} – ${second ?? '?'}`, score, date, event].filter(Boolean).join(', ');
}
