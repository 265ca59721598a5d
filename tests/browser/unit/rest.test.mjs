// Openings, clocks, scores, keys, and edits of a whole game.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../../web/page/js/app/clock.js';
import { Game, shapeOf } from '../../../web/page/js/record/game.js';
import { roughShare, scoreText, shareOf, shortNumber, winText } from '../../../web/page/js/base/format.js';
import * as course from '../../../web/page/js/record/course.js';
import { linkOf, readLink } from '../../../web/page/js/record/link.js';
import { exportSgf, readSgf, writeSgf } from '../../../web/page/js/record/sgf.js';
import { pack, unpack } from '../../../web/page/js/record/storage.js';
import { plainKey } from '../../../web/page/js/board/keys.js';
import { transformed } from '../../../web/page/js/features/edit/edit.js';
import { clockText } from '../../../web/page/js/app/state.js';

const act = (name, kind, player, side) => ({ act: name, kind, player, side });

test('a course: who plays which side, what an undo takes back, whose stones a swap takes', () => {
  const start = course.begin('rif', { first: 'you', second: 'engine' });
  assert.deepEqual(course.seatsOf(start, 2), { first: 'engine', second: 'you' });
  const acts = [act('h8', 'place', 1, 'first'), act('h9', 'place', 1, 'second'), act('i9', 'place', 1, 'first'), act('swap', 'swap', 2, 'second')];
  assert.deepEqual(acts.map(course.takenSide), [null, null, null, 'first']);
  assert.equal(course.takenSide(act('stay', 'swap', 2, 'second')), 'second');
  const { course: before, stones } = course.undone({ ...start, acts, over: true, stones: 3 });
  assert.deepEqual([before.acts.length, before.over, stones], [2, false, 2], 'the act of the engine is taken back too');
  assert.equal(course.undone({ ...start, acts: acts.slice(3) }), null);
  const offers = [...acts, act('g8', 'offer', 2, 'first'), act('c3', 'offer', 2, 'first'), act('c3', 'keep', 1, 'second')];
  assert.equal(course.courseText({ ...start, acts: offers }), 'rif h8 h9 i9 swap g8 c3 c3');
  assert.equal(offers.filter(course.isStone).length, 4);
  assert.deepEqual(course.readCourse('RIF h8.h9').unread, ['h8', 'h9']);
  for (const text of ['', undefined, 'rif h8,<b>']) assert.equal(course.readCourse(text), null, text);
});

test('allowed points are told as a square around the centre', () => {
  const all = Array.from({ length: 225 }, (_, i) => ({ c: i % 15, r: Math.floor(i / 15) }));
  const centre = { c: 7, r: 7 };
  const far = ({ c, r }) => Math.max(Math.abs(c - 7), Math.abs(r - 7));
  const free = all.filter((point) => far(point) > 0);
  assert.deepEqual(course.regionOf([centre], all, centre), { kind: 'at', size: 1 });
  assert.deepEqual(course.regionOf(free.filter((point) => far(point) <= 1), free, centre), { kind: 'in', size: 3 });
  assert.deepEqual(course.regionOf(free.filter((point) => far(point) > 2), free, centre), { kind: 'out', size: 5 });
  assert.deepEqual(course.regionOf(free, free, centre), { kind: 'free', size: 0 });
  assert.equal(course.regionOf(free.slice(3), free, centre), null);
});

test('a course in record, link and storage stays as it was', () => {
  const text = '(;FF[4]GM[4]SZ[15]RU[renju]XW[rif h8 h9 i9 stay];B[hh];W[hg];B[ig])';
  const game = readSgf(text);
  assert.deepEqual([game.course.rule, game.course.unread], ['rif', ['h8', 'h9', 'i9', 'stay']]);
  assert.equal(exportSgf(game), text);
  game.root.comment = 'x';
  assert.match(writeSgf(game), /XW\[rif h8 h9 i9 stay\]/);
  assert.match(linkOf(game), /&o=rif\.h8\.h9\.i9\.stay&/);
  assert.deepEqual(readLink(linkOf(game)).course, game.course);
  assert.deepEqual(unpack(JSON.parse(JSON.stringify(pack(game)))).course, game.course);
  assert.throws(() => readLink('#v=renju&o=rif.,'), { key: 'link.opening' });
  assert.deepEqual(readSgf('(;GM[4]XW[a program, 1.0])').extra.XW, ['a program, 1.0'], 'a property of another program is kept');
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
