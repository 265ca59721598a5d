// The positions of a tree: equal ones under symmetry, and what is played in them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Game, shapeOf } from '../../../web/page/js/record/game.js';
import { readSgf } from '../../../web/page/js/record/sgf.js';
import { Tree } from '../../../web/page/js/record/tree.js';

/** The moves of a game as a position. */
const at = (shape, moves) => {
  const game = new Game(shape);
  return [game, moves.split(' ').filter(Boolean).reduce((node, move) => game.add(node, move), game.root)];
};
const played = (tree, shape, moves) => tree.continuations(...at(shape, moves)).map((one) => [one.moves.toSorted().join(' '), one.lines]);

test('a move is known in every image of a position, with all moves equal to it', () => {
  const record = readSgf('(;GM[4]SZ[15]RU[renju];B[hh](;W[hg];B[ig](;W[aa])(;W[oo]))(;W[ig];B[gh]))');
  const tree = Tree.of(record);
  const { shape } = record;
  assert.deepEqual(played(tree, shape, ''), [['h8', 3]]);
  // H9, with both replies to I9, and I10 once.
  assert.deepEqual(played(tree, shape, 'h8'), [['g8 h7 h9 i8', 2], ['g7 g9 i7 i9', 1]]);
  for (const [moves, answers] of [['h8 h9', 'g9 i9'], ['h8 h7', 'g7 i7'], ['h8 g8', 'g7 g9'], ['h8 i8', 'i7 i9']]) {
    assert.deepEqual(played(tree, shape, moves), [[answers, 2]], moves);
  }
  assert.deepEqual(played(tree, shape, 'h8 g8 g9'), [['a1', 1], ['o15', 1]]);
  assert.deepEqual(played(tree, shape, 'h8 a1'), []);
  assert.equal(tree.positionsOf('first'), 3);
});

test('the images are those of the moves themselves, on every shape of a board', () => {
  for (const shape of [shapeOf('gomoku', { w: 15, h: 15 }), shapeOf('custom', { w: 7, h: 5, k: 4 }), shapeOf('tictactoe')]) {
    const [game, end] = at(shape, 'a1 b3 c2 b1');
    const tree = Tree.of(game);
    const images = [(c, r) => [c, r], (c, r) => [shape.w - 1 - c, r], (c, r) => [c, shape.h - 1 - r], ...(shape.w === shape.h ? [(c, r) => [r, c]] : [])];
    for (const image of images) {
      const name = (move) => {
        const [c, r] = image(move.charCodeAt(0) - 97, Number(move.slice(1)) - 1);
        return String.fromCharCode(97 + c) + (r + 1);
      };
      const line = end.moves().map(name);
      for (let n = 0; n < line.length; n++) {
        const found = played(tree, shape, line.slice(0, n).join(' '));
        assert.ok(found.some(([moves]) => moves.split(' ').includes(line[n])), `${shape.w}x${shape.h}: ${line.slice(0, n + 1)}: ${found}`);
      }
    }
  }
});

test('where stones fall only the mirror image is equal', () => {
  const shape = shapeOf('cfour');
  const tree = Tree.of(at(shape, 'c1 c2')[0]);
  assert.deepEqual(played(tree, shape, ''), [['c1 e1', 1]]);
  assert.deepEqual(played(tree, shape, 'e1'), [['e2', 1]]);
});

test('other ways to a position lead to the same moves', () => {
  const record = readSgf('(;GM[4]SZ[15]RU[freestyle];B[hh];W[aa];B[ig];W[bb](;B[cc]))');
  const tree = Tree.of(record);
  assert.deepEqual(played(tree, record.shape, 'i9 b14 h8 a15'), [['c13', 1]]);
  assert.equal(tree.nodesAt(...at(record.shape, 'i9 b14 h8 a15')).length, 1);
});
