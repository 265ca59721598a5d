// Swap2, clocks, scores, keys, and edits of a whole game.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../../web/page/js/app/clock.js';
import { Game, shapeOf } from '../../../web/page/js/record/game.js';
import { roughShare, scoreText, shareOf, shortNumber, winText } from '../../../web/page/js/base/format.js';
import * as swap from '../../../web/page/js/record/swap2.js';
import { plainKey } from '../../../web/page/js/board/keys.js';
import { transformed } from '../../../web/page/js/features/edit/edit.js';
import { clockText } from '../../../web/page/js/app/state.js';

test('swap2: each choice leads to its step and seats', () => {
  const start = swap.begin({ first: 'you', second: 'engine' });
  assert.equal(swap.actor(start), 'you');
  const three = swap.placed(start, 3);
  assert.deepEqual([three.step, swap.actor(three)], ['choose', 'engine']);
  assert.deepEqual(swap.choose(three, 'black').seats, { first: 'engine', second: 'you' });
  assert.deepEqual(swap.choose(three, 'white').seats, { first: 'you', second: 'engine' });
  const two = swap.choose(three, 'two').swap;
  assert.deepEqual([two.step, swap.actor(two), swap.placed(two, 4).step], ['two', 'engine', 'two']);
  const colour = swap.placed(two, 5);
  assert.deepEqual([colour.step, swap.actor(colour)], ['colour', 'you']);
  assert.deepEqual(swap.choose(colour, 'white').seats, { first: 'engine', second: 'you' });
  assert.equal(swap.afterUndo(colour, 2).step, 'three');
  assert.equal(swap.afterUndo(colour, 4).step, 'two');
});

test('clocks run for the side to move, add increments, and run out', () => {
  let now = 0;
  const game = new Game(shapeOf('gomoku'));
  game.clock = { kind: 'game', base: 10_000, inc: 2000 };
  const ended = [];
  const clock = new Clock({ game, finish: (result) => ended.push(result) }, () => now);
  clock.run('first');
  now = 3000;
  assert.deepEqual(clock.moved('first'), { first: 9000, second: 10_000 });
  now = 9000;
  assert.equal(clock.left('second'), 10_000);
  clock.run('second');
  now = 18_999;
  clock.check();
  assert.deepEqual(ended, []);
  now = 19_000;
  clock.check();
  assert.deepEqual(ended, [{ winner: 'first', why: 'time' }]);
  clock.set({ first: 1, second: 2 });
  assert.equal(clock.left('first'), 1);
});

test('scores count wins in the winner\'s own moves', () => {
  assert.equal(scoreText({ win_in: 29 }), 'W15');
  assert.equal(scoreText({ loss_in: 30 }), 'L15');
  assert.equal(scoreText({ cp: -116 }), '−1.16');
  assert.equal(scoreText({ cp: 153 }, 'lower'), '≥+1.53');
  assert.equal(scoreText({ cp: 2_000_000 }), 'W');
  assert.equal(winText({ score: { cp: 0 }, wdl: [0, 1000, 0], bound: 'exact' }), '=');
  assert.equal(winText({ score: { cp: 10 }, wdl: [600, 100, 300], bound: 'exact' }), '65');
  assert.equal(shareOf([600, 100, 300], 'second'), 350);
  assert.deepEqual([roughShare({ win_in: 3 }), roughShare({ loss_in: 3 }), roughShare({ cp: 0 })], [1000, 0, 500]);
});

test('in layouts without Latin letters the position of the key counts', () => {
  assert.equal(plainKey({ key: 'р', code: 'KeyH' }), 'h');
  assert.equal(plainKey({ key: 'H', code: 'KeyH' }), 'h');
  assert.equal(plainKey({ key: 'Process', code: 'KeyJ' }), 'j');
  assert.equal(plainKey({ key: 'q', code: 'KeyA' }), 'q');
  assert.equal(plainKey({ key: '8', code: 'Digit8' }), '8');
  assert.equal(plainKey({ key: 'Enter', code: 'Enter' }), '');
});

test('a rotated game keeps its tree; a shift that moves a stone off the board is refused', () => {
  const game = new Game(shapeOf('gomoku'));
  const node = game.add(game.add(game.root, 'a1'), 'b3');
  game.add(game.root, 'o15');
  node.comment = 'x';
  const turn = (point) => ({ c: point.r, r: 14 - point.c });
  const turned = transformed(game, turn, true);
  assert.deepEqual(turned.mainLine().map((at) => at.move), ['', 'a15', 'c14']);
  assert.equal(turned.mainLine()[2].comment, 'x');
  assert.equal(turned.root.children[1].move, 'o1');
  assert.equal(transformed(game, ({ c, r }) => ({ c: c - 1, r }), false), null);
});

test('times and large numbers are written short', () => {
  assert.equal(clockText(408_000), '6:48');
  assert.equal(clockText(12_340), '12.3');
  assert.equal(clockText(-5), '0.0');
  assert.equal(shortNumber(1_960_000), '1.96 M');
  assert.equal(shortNumber(299_422), '299 k');
});
