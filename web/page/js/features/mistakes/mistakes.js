//! My mistakes: positions of the user's reviewed games and repertoires are asked again, at the times of FSRS. The engine judges each move.

import { request } from '../../app/positions.js';
import { roughShare } from '../../base/format.js';
import { byId, el, hasChanged, t } from '../../base/text.js';
import { moveText } from '../../record/game.js';
import { savedState } from '../../record/storage.js';
import { AGAIN, EASY, GOOD, HARD } from './fsrs.js';
import * as store from './store.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */
/** @typedef {import('../../record/game.js').Game} Game */
/** @typedef {import('../../record/game.js').Side} Side */
/** @typedef {import('./store.js').Card} Card */
/** The card that is asked, or the end of the day's cards. `loss`: null if nothing has judged the move; `isRated`: the answer is kept; `goOn`: the card is asked in a line of a repertoire, which goes on after the right move. @typedef {{ card: Card, game: Game, start: Node, kind: 'find' | 'judging' | 'right' | 'wrong' | 'shown', move: string, loss: number | null, isRated: boolean, goOn?: (node: Node, isKnown: boolean) => void }} Asked */
/** What is said at the end of a line of a repertoire, and what begins another one. @typedef {{ game: Game, text: string, again: () => void }} End */

/** A move that loses less than this of the expected score, in per mille, keeps the value: the review has no mark for it. */
const KEEPS = 100;
/** The most moves of the answer that are shown. */
const SHOWN = 6;
const RATINGS = /** @type {const} */ ({ hard: HARD, good: GOOD, easy: EASY });

/** The name of a side of a game that may not be shown. @param {Game} game @param {Side} side */
function nameOf({ shape, whiteFirst }, side) {
  const first = (side === 'first') !== whiteFirst;
  if (shape.variant === 'tictactoe') return first ? 'X' : 'O';
  return t(`side.${shape.gravity ? (first ? 'r' : 'y') : first ? 'b' : 'w'}`);
}

/** Returns what a card asks. @param {Card} card @param {Game} game */
export const questionOf = (card, game) => questionAt(card, game, game.shown.turn);

/** @param {Card} card @param {Game} game @param {Side} turn */
const questionAt = (card, game, turn) =>
  card.tree
    ? t('repertoire.find', { side: nameOf(game, turn) })
    : t('mistakes.find', { side: nameOf(game, turn), move: moveText(card.move), share: Math.round(card.loss / 10) });

/** @param {App} app */
export const mount = (app) => new Mistakes(app);

class Mistakes {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Asked | null} */
    this.asked = null;
    /** How many cards are due today. */
    this.due = 0;
    /** Whether all cards of the day are done. */
    this.isDone = false;
    /** The end of a line of a repertoire, where it is reached. @type {End | null} */
    this.end = null;
    /** The card before the last answer or its removal. @type {Card | null} */
    this.before = null;
    /** All cards of a tab are shown as one game, so that they take the place of one among the kept games. */
    this.id = '';
    this.commands = { mistakes: () => app.open('mistakes') };
    this.drawn = new Map();
    this.card = el('section.card.ending', { id: 'mistake', hidden: true, 'aria-live': 'polite' });
    byId('ending').before(this.card);
    const fault = this.faultOf(store.stored());
    if (fault) app.fail(fault);
  }

  /** Another game is shown. */
  gameChanged() {
    if (this.app.game === this.cardGame) return;
    Object.assign(this, { asked: null, isDone: false, end: null });
  }

  /** The game to which the card belongs. */
  get cardGame() {
    return this.end?.game ?? this.asked?.game;
  }

  get hidesValues() {
    return this.asked?.kind === 'find';
  }

  /** Says what is wrong with cards; empty: nothing. @param {import('./store.js').Stored} read */
  faultOf({ damaged, isNewer }) {
    return isNewer ? t('mistakes.newer') : damaged ? t('mistakes.damaged', { n: damaged }) : '';
  }

  /** Adds the cards of a file. Returns what is wrong with it. @param {import('./store.js').Stored} read */
  take(read) {
    if (!read.isNewer) this.update((cards) => store.merged(cards, read.cards));
    return this.faultOf(read);
  }

  /** @param {(cards: Card[]) => Card[]} change */
  update(change) {
    if (!store.update(change)) this.app.tell(t(store.stored().isNewer ? 'mistakes.newer' : 'storage.refused'));
    this.due = store.dueCards(store.stored().cards, Date.now()).length;
  }

  /** Makes cards of the blunders of a side. @param {{ line: Node[], side: Side, quiet: boolean }} reviewed */
  collect({ line, side, quiet }) {
    const { app } = this;
    const { length } = store.stored().cards;
    this.update((cards) => store.merged(cards, store.cardsOf(app.game, line, side, Date.now())));
    const text = t('mistakes.added', { n: store.stored().cards.length - length });
    if (quiet) app.addLog(text);
    else app.tell(text, [{ text: t('dialog.mistakes'), act: () => app.open('mistakes') }]);
  }

  /** Asks the next card of the day. */
  async next() {
    const due = store.dueCards(store.stored().cards, Date.now());
    this.due = due.length;
    const { asked } = this;
    const card = due.find((one) => !asked || store.keyOf(one) !== store.keyOf(asked.card)) ?? due[0];
    if (card) return this.ask(card);
    this.isDone = true;
    this.app.say(t('mistakes.done'));
    this.app.refresh();
  }

  /** @param {Card} card */
  async ask(card) {
    const { app } = this;
    const game = store.gameOf(card);
    const undo = !this.asked && app.game.root.children.length ? t('new.done') : '';
    this.id ||= game.id;
    game.id = this.id;
    game.seats = { first: 'you', second: 'you' };
    game.revision = this.revisionOf(this.id);
    const kept = this.before;
    await app.setMode('play');
    this.asked = { card, game, start: game.live, kind: 'find', move: '', loss: null, isRated: false };
    Object.assign(this, { isDone: false, end: null, before: kept });
    await app.useGame(game, { undo });
    app.say(questionOf(card, game));
  }

  /** Asks a card in a line of a repertoire: the one that is kept for the position, or a new one. @param {Card} card @param {Game} game @param {Node} start @param {(node: Node, isKnown: boolean) => void} goOn called with the right move, and whether it was the first answer */
  askInLine(card, game, start, goOn) {
    const { cards } = store.stored();
    const kept = store.sameCard(cards, card);
    const asked = kept ? { ...kept, tree: card.tree, better: card.better } : card;
    this.asked = { card: asked, game, start, kind: 'find', move: '', loss: null, isRated: false, goOn };
    this.due = store.dueCards(cards, Date.now()).length;
    Object.assign(this, { isDone: false, end: null, before: null });
    this.app.say(questionAt(asked, game, start.turn));
    this.app.refresh();
  }

  /** Ends a line of a repertoire. @param {End} end */
  endLine(end) {
    this.end = end;
    this.app.say(end.text);
    this.app.refresh();
  }

  /** The revision of the game that shows the cards: the storage takes no older one. @param {string} id */
  revisionOf(id) {
    try {
      return savedState(localStorage, id)?.revision ?? 0;
    } catch {
      return 0;
    }
  }

  /** Judges a new move of the user. @param {Node} node */
  follow(node) {
    const { asked, app } = this;
    if (!asked || app.mode !== 'play' || app.game !== asked.game) return;
    if (node === asked.start && (asked.kind === 'wrong' || asked.kind === 'judging')) return this.show({ kind: 'find' });
    // Who has seen the answer plays it to go on.
    if ((asked.kind !== 'find' && !(asked.goOn && asked.kind === 'shown')) || node.parent !== asked.start) return;
    const answers = asked.card.tree ?? asked.card.better.slice(0, 1);
    if (answers.includes(node.move)) return this.decide(node, 0, true);
    if (asked.card.tree && app.connection.state !== 'open') return this.decide(node, null);
    this.judge(node);
  }

  /** Lets the engine judge a move as the review did. @param {Node} node */
  judge(node) {
    const { asked, app } = this;
    if (!asked) return;
    const { card, game, start } = asked;
    const mine = (/** @type {number} */ share) => (node.side === 'first' ? share : 1000 - share);
    // A card of a repertoire has no value.
    let before = card.tree ? /** @type {number | null} */ (null) : card.before;
    let after = /** @type {number | null} */ (null);
    this.show({ kind: 'judging', move: node.move });
    request(
      app,
      node,
      { action: 'review', ...game.query(node, start), nodes: card.nodes, threads: 1, fresh: true },
      {
        valid: () => this.asked === asked && asked.kind === 'judging' && asked.move === node.move,
        again: () => this.judge(node),
        failed: () => this.show({ kind: 'find' }),
        on: (reply, last) => {
          if (reply.type === 'move' && reply.after) after = roughShare(reply.after);
          if (reply.type === 'move' && reply.before) before ??= roughShare(reply.before);
          const [whole, share] = reply.chances ?? [];
          if (card.tree && whole !== undefined) before = mine(whole);
          if (share !== undefined) after = mine(share);
          if (last && before !== null && after !== null) this.decide(node, Math.max(0, before - after));
        },
      },
    );
  }

  /** @param {Node} node @param {number | null} loss of the expected score, in per mille @param {boolean} [isRight] in a repertoire only its own moves are right */
  decide(node, loss, isRight = loss !== null && loss < KEEPS && !this.asked?.card.tree) {
    const { goOn, card, isRated } = this.asked ?? {};
    this.show({ kind: isRight ? 'right' : 'wrong', move: node.move, loss });
    if (!isRight) return this.rate(AGAIN);
    if (!goOn || !card) return;
    // A card that waits for another day is not asked for its own sake.
    if (store.isDue(card, Date.now())) this.rate(GOOD);
    goOn(node, !isRated);
  }

  /** @param {Partial<Asked>} changes */
  show(changes) {
    if (!this.asked) return;
    Object.assign(this.asked, changes);
    this.app.refresh();
  }

  /** Keeps an answer, once for each time that the card is asked. @param {number} rating */
  rate(rating) {
    const { asked } = this;
    if (!asked || asked.isRated) return;
    asked.isRated = true;
    this.before = asked.goOn ? null : asked.card;
    this.update(store.withCard(store.answered(asked.card, rating, Date.now())));
    this.app.refresh();
  }

  /** Shows the answer on the board and in the card. */
  answer() {
    const { asked, app } = this;
    if (!asked) return;
    this.rate(AGAIN);
    this.back();
    this.show({ kind: 'shown' });
    app.setPreview({ moves: asked.card.better.slice(0, SHOWN), kind: 'best', from: 'hint' });
  }

  /** Plays the answer, so that the line of the repertoire goes on. */
  playAnswer() {
    const { asked, app } = this;
    const [move] = asked?.card.better ?? [];
    if (asked && move) app.withPlay((play) => play.place(asked.start, move));
  }

  /** Goes back to the position of the card. */
  back() {
    const { asked, app } = this;
    if (!asked) return;
    this.show({ kind: 'find' });
    if (app.game.shown !== asked.start) app.withPlay((play) => play.playOn(asked.start));
  }

  /** Removes the card. */
  remove() {
    const { asked } = this;
    if (!asked) return;
    const key = store.keyOf(asked.card);
    this.before = store.sameCard(store.stored().cards, asked.card) ?? asked.card;
    this.update((cards) => cards.filter((card) => store.keyOf(card) !== key));
    void this.next();
  }

  /** Takes the last answer or removal back, and asks its card again. */
  undo() {
    const { before } = this;
    if (!before) return;
    this.before = null;
    this.update(store.withCard(before));
    void this.ask(before);
  }

  /** The text of the card. */
  text() {
    const { asked } = this;
    if (this.end) return this.end.text;
    if (!asked || this.isDone) return t('mistakes.done');
    const { card, game, kind, move, loss, isRated } = asked;
    const values = { move: moveText(move), share: Math.round((loss ?? 0) / 10) };
    if (kind === 'judging') return t('review.judging', values);
    if (card.tree) return this.treeText(card.tree, values);
    if (kind === 'right') return [t('mistakes.right', values), !isRated && t('mistakes.how')].filter(Boolean).join(' ');
    if (kind === 'wrong') return t('mistakes.wrong', values);
    if (kind === 'shown') return t('mistakes.shown', { line: card.better.slice(0, SHOWN).map(moveText).join(' ') });
    return questionAt(card, game, asked.start.turn);
  }

  /** The text of a card of a repertoire. @param {string[]} tree @param {{ move: string, share: number }} values */
  treeText(tree, values) {
    const { card, game, start, kind, loss, isRated, goOn } = /** @type {Asked} */ (this.asked);
    if (kind === 'right') return [t('repertoire.right', values), !isRated && !goOn && t('mistakes.how')].filter(Boolean).join(' ');
    if (kind === 'shown') return t('repertoire.answer', { moves: tree.map(moveText).join(' ') });
    if (kind !== 'wrong') return questionAt(card, game, start.turn);
    if (loss === null) return t('repertoire.outside', values);
    return t(loss < KEEPS ? 'repertoire.keeps' : 'repertoire.loses', values);
  }

  /** The buttons of the card: the keys of their texts, the texts, and what they do. @returns {[string, string, () => void][]} */
  buttons() {
    const { asked } = this;
    /** @type {[string, string, () => void][]} */
    const all = [];
    const next = () => void this.next();
    if (this.end) return [['next', t('repertoire.again'), this.end.again]];
    if (asked && !this.isDone) {
      if (asked.goOn && asked.kind === 'right') return [];
      if (asked.kind === 'right' && !asked.isRated) {
        for (const [key, rating] of Object.entries(RATINGS)) {
          const act = () => {
            this.rate(rating);
            next();
          };
          all.push([key, `${t(`mistakes.${key}`)}: ${t('mistakes.days', { n: store.daysAfter(asked.card, rating, Date.now()) })}`, act]);
        }
      } else if (asked.isRated && !asked.goOn) all.push(['next', t('mistakes.next'), next]);
      else if (asked.kind === 'shown') all.push(['next', t('repertoire.play'), () => this.playAnswer()]);
      if (asked.kind === 'wrong') all.push(['retry', t('retry'), () => this.back()]);
      if (asked.kind !== 'right' && asked.kind !== 'shown') all.push(['answer', t('review.show'), () => this.answer()]);
      if (!asked.goOn) all.push(['delete', t('delete'), () => this.remove()]);
    }
    if (this.before) all.push(['undo', t('mistakes.undo'), () => this.undo()]);
    return all;
  }

  paint() {
    const { card, asked, app } = this;
    card.hidden = app.game !== this.cardGame;
    if (card.hidden) return;
    // Help counts as an answer that is not known.
    if (app.hint && asked?.kind === 'find') this.rate(AGAIN);
    const buttons = this.buttons();
    const title = this.end || asked?.goOn ? t('dialog.repertoire') : `${t('dialog.mistakes')}: ${t('mistakes.due', { n: this.due })}`;
    if (!hasChanged(this.drawn, 'card', [title, this.text(), buttons.map(([, text]) => text)])) return;
    const had = card.contains(document.activeElement);
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.mistake : undefined;
    card.replaceChildren(
      el('h2', null, title),
      el('p', { id: 'mistaketext' }, this.text()),
      el(
        'div.endings',
        null,
        ...buttons.map(([key, text, act]) => el('button', { type: 'button', 'data-mistake': key, onclick: act }, text)),
      ),
    );
    if (!had) return;
    const again = card.querySelector(`[data-mistake="${focused}"]`) ?? card.querySelector('button');
    if (again instanceof HTMLElement) again.focus();
  }

  language() {
    this.drawn.clear();
  }
}
