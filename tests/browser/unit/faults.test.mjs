// Faults that users have met in settings, records, links, transformations and storage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLow, readSettings } from '../../../web/page/js/app/state.js';
import { transformed } from '../../../web/page/js/features/edit/edit.js';
import { readCourse } from '../../../web/page/js/record/course.js';
import { Game, lossOf, shapeOf } from '../../../web/page/js/record/game.js';
import { linkOf, readLink } from '../../../web/page/js/record/link.js';
import { exportSgf, readSgf, writeSgf } from '../../../web/page/js/record/sgf.js';
import { pack, unpack } from '../../../web/page/js/record/storage.js';

test('corrupt settings count as none, and a value of another type as its default', () => {
  for (const text of ['{', 'null', '[]', '7', '"x"', null]) assert.equal(readSettings(text).lines, 6, String(text));
  const settings = readSettings('{"lines":"many","keys":false,"theme":7,"constructor":1}');
  assert.deepEqual([settings.lines, settings.keys, settings.theme], [6, false, 'auto']);
});

test('names of properties of objects are no variants', () => {
  assert.throws(() => readSgf('(;RU[constructor])'), { key: 'sgf.game' });
  assert.throws(() => readLink('#v=constructor'), { key: 'link.variant' });
});

test('a board on which a longer line does not win keeps that in storage, record and link', () => {
  const game = new Game(shapeOf('custom', { w: 9, h: 9, k: 5, overline: false }));
  assert.equal(readSgf(writeSgf(game)).shape.overline, false);
  assert.equal(unpack(pack(game)).shape.overline, false);
  assert.equal(readLink(linkOf(game)).shape.overline, false);
});

test('a transformed game keeps its opening, values and better moves', () => {
  const game = new Game(shapeOf('gomoku'));
  const node = game.add(game.root, 'a1');
  Object.assign(node, { better: ['b1', 'c1'], graded: 9, judged: { score: { cp: 1 }, line: ['b2'], nodes: 9 } });
  Object.assign(game, { course: readCourse('swap2 a1 b2'), said: { winner: 'first', why: 'resign', text: 'B+R' } });
  const mirrored = transformed(game, ({ c, r }, { w }) => ({ c: w - 1 - c, r }), false);
  const [, copy] = mirrored.mainLine();
  assert.deepEqual([copy.move, copy.better, copy.judged.line, copy.graded], ['o1', ['n1', 'm1'], ['n2'], 9]);
  assert.deepEqual([mirrored.course.unread, mirrored.said.text], [['o1', 'n2'], 'B+R']);
  assert.equal(transformed(game, ({ c, r }) => ({ c: c + 1, r }), false).course, null, 'a shifted opening follows no rule');
});

test('a stored game keeps the values of its searches', () => {
  const game = new Game(shapeOf('renju'));
  const node = game.add(game.root, 'h8');
  Object.assign(node, { share: 612, graded: 5000, better: ['i9'], judged: { score: { win_in: 3 }, line: ['i9'], nodes: 5000 } });
  game.root.share = 500;
  const [root, copy] = unpack(JSON.parse(JSON.stringify(pack(game)))).mainLine();
  assert.deepEqual([root.share, copy.share, copy.graded, copy.better, copy.judged], [500, 612, 5000, ['i9'], node.judged]);
  assert.equal(lossOf(copy), 0);
});

for (const text of ['(;GM[4]SZ[15];B[hh])', '(;FF[4]\r\nGM[4] SZ[15]RE[W+3]\n(;B[hh]LB[hh:1]C[a\\]b];W[ii]SBKV[44.0])(;B[gg]))\n\n', 'words (;GM[4];B[hh];C[more];W[ig])(;GM[4];B[aa])', '(;GM[4]B[hh];W[ii]KO[])']) {
  test(`a record without changes is exported as it was: ${JSON.stringify(text)}`, () => {
    const game = readSgf(text);
    assert.equal(exportSgf(game), text);
    assert.equal(exportSgf(unpack(JSON.parse(JSON.stringify(pack(game))))), text, 'from the storage');
    game.root.end().share = 700;
    assert.equal(exportSgf(game, { values: false }), text, 'values are not written');
    game.root.end().comment = 'new';
    assert.match(exportSgf(game, { values: false }), /C\[new\]/);
  });
}

test('another encoding is named as UTF-8 in the export', () => {
  assert.equal(exportSgf(readSgf('(;GM[4]CA[GB2312];B[hh])')), '(;GM[4]CA[UTF-8];B[hh])');
});

test('little time is a tenth of the clock, or 10 s of a longer one', () => {
  assert.deepEqual([isLow(12_400, 12_500), isLow(59_000, 600_000), isLow(61_000, 600_000), isLow(9_900, 30_000), isLow(1_200, 12_500)], [false, true, false, true, true]);
});
