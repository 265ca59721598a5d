// My mistakes: the formulas of FSRS, the cards of reviewed games, their text, and 60 days of practice on a simulated clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTexts } from '../../../web/page/js/base/text.js';
import { AGAIN, EASY, GOOD, HARD, interval, next, retrievability } from '../../../web/page/js/features/mistakes/fsrs.js';
import * as store from '../../../web/page/js/features/mistakes/store.js';
import { Game, shapeOf } from '../../../web/page/js/record/game.js';
import { linkOf, readLink } from '../../../web/page/js/record/link.js';

/** The storage of the browser. */
const kept = new Map();
globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => void kept.set(key, text) };
const KEY = 'tengen.mistakes';
const DAY = 86_400_000;

const near = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-9 * expected, `${value}, expected ${expected}`);

// CITE: the reference implementation py-fsrs 6.3.2, tests/test_basic.py (intervals, memory state), and what it prints for stability and
// difficulty, https://github.com/open-spaced-repetition/py-fsrs
test('FSRS: thirteen answers have the intervals, stabilities and difficulties of the reference', () => {
  const ratings = [3, 3, 3, 3, 3, 3, 1, 1, 3, 3, 3, 3, 3];
  const intervals = [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21];
  const stabilities = [2.3065, 2.3065, 10.971048263078135, 46.316858440073425, 162.99981577472244, 497.8765551245907, 6.890412507565338, 2.154598374301973, 2.154598374301973, 3.9831233795187773, 7.236254476883319, 12.483043578674472, 20.77035728499242];
  const difficulties = [2.118103970459016, 2.111214235785395, 2.1043313908464483, 2.0974554287524403, 2.0905863426205262, 2.083724125574744, 7.383202320049203, 9.125104766121234, 9.11120803065195, 9.097325191918136, 9.083456236023055, 9.06960114908387, 9.055759917231622];
  let memory = null;
  for (const [n, rating] of ratings.entries()) {
    memory = next(memory, rating, n ? intervals[n - 1] : 0);
    near(memory.stability, stabilities[n]);
    near(memory.difficulty, difficulties[n]);
    // An interval of 0 is one of minutes, which the scheduler gives.
    if (intervals[n]) assert.equal(interval(memory.stability), intervals[n]);
  }
});

test('FSRS: the memory state of the reference', () => {
  let memory = null;
  for (const [rating, days] of [[1, 0], [3, 0], [3, 1], [3, 3], [3, 8], [3, 21], [3, 0]]) memory = next(memory, rating, days);
  near(memory.stability, 53.626902917141365);
  near(memory.difficulty, 6.34635796621067);
});

test('FSRS: easy answers on one day end at the lowest difficulty; bounds hold', () => {
  let memory = null;
  for (let n = 0; n < 10; n++) memory = next(memory, EASY, 0);
  assert.equal(memory.difficulty, 1);
  for (let n = 0; n < 50; n++) memory = next(memory, AGAIN, 1);
  assert.ok(memory.difficulty <= 10 && memory.stability >= 0.001);
  near(retrievability(7, 7), 0.9);
  assert.deepEqual([interval(0.001), interval(1e9)], [1, 36_500]);
  const [hard, good, easy] = [HARD, GOOD, EASY].map((rating) => next({ stability: 5, difficulty: 5 }, rating, 5).stability);
  assert.ok(5 < hard && hard < good && good < easy);
});

/** A reviewed game in which both sides blunder. */
function reviewed() {
  const game = new Game(shapeOf('renju'));
  const values = [['h8', '', 500], ['i9', '', 500], ['j7', '??', 90], ['a1', '??', 990], ['a2', '?', 700]];
  let node = Object.assign(game.root, { share: 500 });
  for (const [move, mark, share] of values) {
    node = game.add(node, move);
    Object.assign(node, { mark, share, better: ['g9', 'g8'], graded: 250_000 });
  }
  return game;
}

/** A card of which only the link matters. */
const card = (n, more = {}) => ({ link: `#v=renju&s=15&m=h8${'abcdefghijklmno'[n % 15]}${1 + Math.floor(n / 15)}`, whiteFirst: false, move: 'o15', better: ['n14'], before: 600, loss: 500, nodes: 1000, due: 0, last: 0, stability: 0, difficulty: 0, reps: 0, lapses: 0, ...more });

test('the blunders of a side become cards with the position before them', () => {
  const game = reviewed();
  const cards = store.cardsOf(game, game.mainLine(), 'first', 5);
  assert.deepEqual(cards.map(({ link, move, before, loss, due, nodes }) => ({ link, move, before, loss, due, nodes })), [{ link: '#v=renju&s=15&m=h8i9', move: 'j7', before: 500, loss: 410, due: 5, nodes: 250_000 }]);
  assert.equal(store.cardsOf(game, game.mainLine(), 'second', 5)[0].before, 910);
  assert.deepEqual(store.gameOf(cards[0]).live.moves(), ['h8', 'i9']);
});

test('a link ends at a position, whatever is shown', () => {
  const game = reviewed();
  game.show(game.root.children[0].children[0]);
  assert.equal(linkOf(game, game.root.children[0]), '#v=renju&s=15&m=h8');
  assert.equal(linkOf(game, game.root), '#v=renju&s=15');
  game.course = readLink('#v=renju&s=15&o=swap').course;
  assert.ok(game.course);
  assert.equal(linkOf(game, game.root), '#v=renju&s=15');
});

test('a damaged line takes no other card with it, and a text of a later version is not changed', () => {
  const lines = store.textOf([card(0), card(1), card(2)]).split('\n');
  const cut = [lines[0], lines[1], lines[2].slice(0, 40), lines[3]].join('\n');
  assert.deepEqual([store.readCards(cut).cards.map(({ link }) => link), store.readCards(cut).damaged], [[card(0).link, card(2).link], 1]);
  for (const wrong of [{ link: '#v=chess' }, { due: 'today' }, { better: 'h8' }, { reps: 1 }, { loss: null }, { link: 5 }]) {
    const read = store.readCards(store.textOf([card(0), card(1, wrong)]));
    assert.deepEqual([read.cards.length, read.damaged], [1, 1], JSON.stringify(wrong));
  }
  for (const text of ['{', 'null', '[]', '7', '"x"']) assert.deepEqual([store.readCards(text).cards.length, store.readCards(text).damaged], [0, 1], text);
  const later = `{"version":3}\n${JSON.stringify({ another: 'form' })}\n`;
  kept.set(KEY, later);
  assert.equal(store.update((cards) => [...cards, card(0)]), false);
  assert.equal(kept.get(KEY), later);
  kept.delete(KEY);
  assert.equal(store.update((cards) => [...cards, card(0)]), true);
  assert.deepEqual(store.stored().cards, [card(0)]);
});

test('of two cards for a position the one stays that was asked later', () => {
  const known = card(0, { last: 9, reps: 2, stability: 3, difficulty: 5 });
  assert.deepEqual(store.merged([known], [card(0), card(1)]), [known, card(1)]);
  assert.deepEqual(store.merged([card(0)], [known]), [known]);
});

test('a position can have a card of a mistake and one of a repertoire, whose moves are all right', () => {
  const game = reviewed();
  const mistake = store.cardsOf(game, game.mainLine(), 'first', 5)[0];
  const own = store.cardOf(game, game.root.children[0].children[0], ['g9', 'i7'], 1000, 7);
  assert.deepEqual([own.link, own.tree, own.better, own.due], [mistake.link, ['g9', 'i7'], ['g9'], 7]);
  const both = store.merged([mistake], [own]);
  assert.equal(both.length, 2);
  assert.deepEqual(store.withCard({ ...own, reps: 1 })(both), [mistake, { ...own, reps: 1 }]);
  assert.deepEqual(store.sameCard(both, { ...own, tree: ['a1'] }), own);
  assert.deepEqual(store.readCards(store.textOf(both)), { cards: both, damaged: 0, isNewer: false });
  for (const tree of [[], 'g9', [7], null]) assert.equal(store.readCards(JSON.stringify({ ...own, tree })).damaged, 1, JSON.stringify(tree));
  // A text of the version without repertoires is read.
  assert.equal(store.readCards(`{"version":1}\n${JSON.stringify(mistake)}\n`).cards.length, 1);
  setTexts('en', { 'v.renju': 'Renju' });
  assert.match(store.ankiText([own], 'https://host/', () => 'x'), /\tG9 I7<br>/);
});

test('30 cards over 60 days: none is lost, a known one waits longer each time, a lapse comes again on the same day', () => {
  const start = new Date(2026, 9, 1, 20, 30).getTime();
  kept.set(KEY, store.textOf(Array.from({ length: 30 }, (_, n) => card(n, { due: start }))));
  /** Answers of each card: the day, the rating, the days that it waits then. @type {Map<string, [number, number, number][]>} */
  const answers = new Map();
  for (let day = 0; day < 60; day++) {
    // The hour changes, so that two days are less or more than 24 hours apart. In October clocks change, too.
    const now = new Date(2026, 9, 1 + day, day % 2 ? 7 : 22, 15).getTime();
    for (let round = 0; ; round++) {
      const [one] = store.dueCards(store.stored().cards, now + round * 1000);
      if (!one) break;
      assert.ok(round < 100, `day ${day}: the cards of the day have an end`);
      const list = answers.get(one.link) ?? [];
      // Each third card is not known at its second time.
      const rating = answers.size % 3 === 0 && list.length === 1 ? AGAIN : GOOD;
      const after = store.answered(one, rating, now + round * 1000);
      store.update(store.withCard(after));
      answers.set(one.link, [...list, [day, rating, store.daysAfter(one, rating, now)]]);
    }
    assert.equal(store.stored().cards.length, 30);
  }
  assert.equal(answers.size, 30);
  for (const [link, list] of answers) {
    for (const [n, [day, rating, days]] of list.entries()) {
      const later = list[n + 1];
      if (!later) continue;
      assert.equal(later[0], rating === AGAIN ? day : day + days, `${link}: ${JSON.stringify(list)}`);
      if (rating === GOOD && later[1] === GOOD) assert.ok(later[2] >= days, `${link}: ${JSON.stringify(list)}`);
    }
    const { reps, lapses } = store.stored().cards.find((one) => one.link === link);
    assert.deepEqual([reps, lapses], [list.length, list.filter(([, rating]) => rating === AGAIN).length]);
  }
  assert.ok([...answers.values()].some((list) => list.some(([, rating]) => rating === AGAIN)));
});

test('a text for Anki has one row of two fields for each card, and a header', () => {
  setTexts('en', { 'v.renju': 'Renju' });
  const text = store.ankiText([card(0), card(16)], 'https://host/', () => 'find <a> "better"\tmove');
  const lines = text.trimEnd().split('\n');
  assert.deepEqual(lines.slice(0, 4), ['#separator:tab', '#html:true', '#notetype:Basic', '#deck:Tengen']);
  assert.equal(lines.length, 6);
  for (const line of lines.slice(4)) {
    const fields = line.split('\t');
    assert.equal(fields.length, 2);
    assert.match(fields[0], /^Renju: find &lt;a> {2}better {2}move<pre>15 ·/);
    assert.equal((fields[0].match(/●/g) ?? []).length, 1);
    assert.match(fields[1], /^N14<br><a href='https:\/\/host\/#v=renju&amp;s=15&amp;m=h8/);
  }
});
