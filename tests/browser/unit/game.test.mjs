// The record of a game: tree, stones, gravity, FEN, lists of moves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Game, nameOf, pointOf, shapeOf } from '../../../web/page/js/record/game.js';
import { readMoves } from '../../../web/page/js/record/notation.js';
import { allNodes } from '../../../web/page/js/record/sgf.js';

const renju = () => new Game(shapeOf('renju'));

/** Plays moves one after another. */
function play(game, ...moves) {
  let node = game.root;
  for (const move of moves) node = game.add(node, move);
  return node;
}

test('points have the names that the server writes', () => {
  const shape = shapeOf('gomoku');
  assert.deepEqual(pointOf('H8', shape), { c: 7, r: 7 });
  assert.equal(nameOf({ c: 0, r: 14 }), 'a15');
  for (const wrong of ['', 'h', '8', 'p1', 'a16', 'a0', 'h8h', 'ä1']) assert.equal(pointOf(wrong, shape), null, wrong);
});

test('a known move is found, and another one becomes a variation', () => {
  const game = renju();
  const node = play(game, 'h8', 'i9');
  assert.equal(play(game, 'h8', 'i9'), node);
  const branch = play(game, 'h8', 'j10');
  assert.deepEqual(node.parent.children.map((child) => child.move), ['i9', 'j10']);
  game.promote(branch);
  assert.deepEqual(game.mainLine().map((at) => at.move), ['', 'h8', 'j10']);
  assert.equal(node.parent.children.length, 2);
});

test('a removed branch leaves the position before it', () => {
  const game = renju();
  const node = play(game, 'h8', 'i9', 'j10');
  game.live = node;
  game.show(node);
  game.remove(node.parent);
  assert.equal(game.shown.move, 'h8');
  assert.equal(game.live.move, 'h8');
  game.remove(game.root);
  assert.equal(game.shown.move, 'h8');
});

test('stones fall to the lowest empty point, and a full column takes none', () => {
  const game = new Game(shapeOf('cfour'));
  const node = play(game, 'd1', 'd2');
  assert.deepEqual(game.target(node, { c: 3, r: 5 }), { c: 3, r: 2 });
  const full = play(game, 'd1', 'd2', 'd3', 'd4', 'd5', 'd6');
  assert.equal(game.target(full, { c: 3, r: 0 }), null);
});

test('an occupied point and a point outside the board take no stone', () => {
  const game = renju();
  const node = play(game, 'h8');
  assert.equal(game.target(node, { c: 7, r: 7 }), null);
  assert.equal(game.target(node, { c: 15, r: 0 }), null);
  assert.deepEqual(game.target(node, { c: 0, r: 0 }), { c: 0, r: 0 });
});

test('the winning line is the one that the rules name', () => {
  const game = new Game(shapeOf('gomokufreestyle'));
  const node = play(game, 'h8', 'a1', 'i8');
  assert.deepEqual(game.winningLine(node), []);
  node.info = { forbidden: new Map(), outcome: 'first', line: ['h8', 'i8'] };
  assert.deepEqual(game.winningLine(node).map(nameOf), ['h8', 'i8']);
  assert.deepEqual(game.resultOf(node, 'first'), { winner: 'first', why: 'line' });
  node.info.line = [];
  assert.deepEqual(game.resultOf(node, 'first'), { winner: 'first', why: 'forbidden' });
});

test('set up stones go to the server as a position', () => {
  const shape = shapeOf('tictactoe');
  assert.equal(new Game(shape).fen(), undefined);
  const game = new Game(shape, { first: ['a1', 'b2'], second: ['c3'] });
  assert.equal(game.root.turn, 'second');
  assert.equal(game.fen(), '2p/1P1/P2 b - - 0 1');
  assert.deepEqual(game.query(game.root), { variant: 'tictactoe', moves: [], fen: game.fen() });
});

test('a query names the board only if it differs from the default', () => {
  const size = new Game(shapeOf('renju', { w: 19, h: 19 }));
  assert.deepEqual(size.query(size.root).board, { width: 19, height: 19 });
  assert.equal(renju().query(renju().root).board, undefined);
  const own = new Game(shapeOf('custom', { w: 5, h: 5, k: 4 }));
  assert.deepEqual(own.query(own.root).board, { width: 5, height: 5, connect: 4, gravity: false, overline: true });
});

test('moves are read in every common form', () => {
  const shape = shapeOf('gomoku');
  for (const text of ['h8i9j10', 'h8 i9 j10', 'H8, I9; J10', '1. h8 i9 2. j10', 'h8\ni9\nj10']) {
    assert.deepEqual(readMoves(text, shape), { moves: ['h8', 'i9', 'j10'] }, text);
  }
  assert.deepEqual(readMoves('4455', shapeOf('cfour')), { moves: ['d1', 'd2', 'e1', 'e2'] });
  assert.deepEqual(readMoves('ddee', shapeOf('cfour')), { moves: ['d1', 'd2', 'e1', 'e2'] });
});

test('errors in lists of moves name the character', () => {
  const shape = shapeOf('gomoku');
  assert.deepEqual(readMoves('h8 z9', shape), { at: 4, what: 'z9' });
  assert.deepEqual(readMoves('h8 i', shape), { at: 4, what: 'i' });
  assert.deepEqual(readMoves('h8 # i9', shape), { at: 4, what: '# i9' });
  assert.deepEqual(readMoves('h8 i9 h8', shape), { at: 7, what: 'h8' });
  assert.deepEqual(readMoves('d3', shapeOf('cfour')), { at: 1, what: 'd3' });
});

test('a game knows its variations and its new nodes without a walk through the tree', () => {
  const game = new Game(shapeOf('gomokufreestyle'));
  const points = ['h8', 'i9', 'j7', 'a1', 'o15'];
  let seed = 1;
  const random = (/** @type {number} */ count) => (seed = (seed * 48271) % 2147483647) % count;
  let known = new Set([game.root]);
  for (let n = 0; n < 400; n++) {
    const nodes = allNodes(game);
    const node = nodes[random(nodes.length)];
    if (random(8) === 0 && node.parent) {
      game.remove(node);
      known = new Set(allNodes(game));
      assert.deepEqual(game.added, []);
    } else if (node.ply < points.length) game.promote(game.add(node, points[random(points.length)] ?? ''));
    assert.equal(game.branches, allNodes(game).reduce((sum, { children }) => sum + Math.max(children.length - 1, 0), 0));
    const [all, now] = [new Set([...known, ...game.added]), allNodes(game)];
    assert.ok(all.size === now.length && now.every((one) => all.has(one)));
  }
  assert.ok(game.branches > 5 && game.removals > 5);
});
