// Records: a written game is read back equal, and errors name line and character.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Game, shapeOf } from '../../../web/page/js/record/game.js';
import { gamesOf, placedText } from '../../../web/page/js/record/collection.js';
import { decodeRecord, readSgf, writeSgf } from '../../../web/page/js/record/sgf.js';

/** A tree as nested arrays, with all values that a record stores. */
const tree = (node) => [node.move, node.comment, node.mark, node.flag, node.share, node.left, node.children.map(tree)];

test('variations, comments, marks, clocks and chances are written and read', () => {
  const game = new Game(shapeOf('renju'));
  const first = game.add(game.root, 'h8');
  first.comment = 'a ] and a \\ and\na second line';
  const main = game.add(first, 'i9');
  Object.assign(main, { mark: '??', share: 655, left: { first: 61_500, second: 30_000 } });
  const side = game.add(first, 'j10');
  Object.assign(side, { mark: '?!', flag: true });
  game.add(side, 'k11').mark = '?';
  game.add(game.root, 'a1');
  game.live = main;
  game.result = { winner: 'second', why: 'resign' };
  game.extra = { EV: ['Cup'], PB: ['A]B'] };
  const text = writeSgf(game);
  const again = readSgf(text);
  assert.deepEqual(tree(again.root), tree(game.root));
  assert.deepEqual(again.shape, game.shape);
  assert.deepEqual(again.extra, game.extra);
  assert.deepEqual(again.said, { ...game.result, text: 'W+R' });
  assert.equal(writeSgf(again), text);
});

test('every board shape is written and read', () => {
  for (const shape of [shapeOf('cfour'), shapeOf('cfour-misere'), shapeOf('tictactoe'), shapeOf('gomoku', { w: 19, h: 19 }),
    shapeOf('custom', { w: 5, h: 7, k: 4, gravity: true }), shapeOf('gomokufreestyle'), shapeOf('caro')]) {
    assert.deepEqual(readSgf(writeSgf(new Game(shape))).shape, shape);
  }
});

test('records of other programs are read', () => {
  const game = readSgf('\uFEFFsome words (;GaMe[4]SiZe[15]RU[RIF]AB[aa]AW[oo]PL[W];W[hh](;B[h9])(;B[ii]C[x]))');
  assert.equal(game.shape.variant, 'renju');
  assert.deepEqual(game.setup, { first: ['a15'], second: ['o1'] });
  assert.equal(game.root.turn, 'second');
  assert.deepEqual(tree(game.root)[6][0][6].map(([move]) => move), ['h9', 'i7']);
});

test('white may move first', () => {
  const game = readSgf('(;GM[4];W[hh];B[ii])');
  assert.equal(game.root.turn, 'second');
  assert.deepEqual(game.mainLine().map((node) => node.move), ['', 'h8', 'i7']);
});

test('a deep record is read without a deep stack', () => {
  let game = new Game(shapeOf('custom', { w: 26, h: 26, k: 5 }));
  let node = game.root;
  for (let i = 0; i < 676; i++) node = game.add(node, String.fromCharCode(97 + (i % 26)) + (Math.floor(i / 26) + 1));
  assert.equal(readSgf(writeSgf(game)).mainLine().length, 677);
  const nested = `(;GM[4]${'(;C[x]'.repeat(20_000)}${')'.repeat(20_000)})`;
  assert.equal(readSgf(nested).mainLine().length, 1);
});

for (const [name, text, key, line, column] of [
  ['no game', 'hello', 'sgf.none', 1, 1],
  ['an end too early', '(;GM[4]\n;B[hh]', 'sgf.end', 2, 7],
  ['an open value', '(;GM[4]\n;B[hh]C[abc', 'sgf.open', 2, 8],
  ['no value', '(;GM[4];B)', 'sgf.value', 1, 10],
  ['a strange sign', '(;GM[4]\n\n ?;B[hh])', 'sgf.sign', 3, 2],
  ['an empty tree', '(;GM[4]())', 'sgf.node', 1, 9],
  ['another game', '(;GM[1]SZ[19]RU[Japanese])', 'sgf.game', 1, 17],
  ['a wrong size', '(;GM[4]SZ[99])', 'sgf.size', 1, 11],
  ['a point beside the board', '(;GM[4]SZ[9]\n;B[zz])', 'sgf.point', 2, 4],
  ['a pass', '(;GM[4];B[])', 'sgf.point', 1, 11],
  ['two moves of one side', '(;GM[4];B[hh];B[ii])', 'sgf.turn', 1, 17],
  ['a taken point', '(;GM[4];B[hh];W[hh])', 'sgf.taken', 1, 17],
  ['a stone in the air', '(;RU[cfour]SZ[7:6];B[aa])', 'sgf.taken', 1, 22],
]) {
  test(`errors name the place: ${name}`, () => {
    assert.throws(() => readSgf(text), (error) => {
      assert.deepEqual([error.key, error.line, error.column], [key, line, column]);
      return true;
    });
  });
}

test('files in other encodings are read', () => {
  const latin = Uint8Array.from('(;CA[ISO-8859-1]GM[4]C[Caf\u00e9])', (sign) => sign.charCodeAt(0));
  assert.match(decodeRecord(latin.buffer), /Café/);
  const unknown = Uint8Array.from('(;CA[no such]C[\u00e9])', (sign) => sign.charCodeAt(0));
  assert.throws(() => decodeRecord(unknown.buffer), { key: 'sgf.charset' });
});

const PROGRAM = process.env.TENGEN ?? fileURLToPath(new URL('../../../target/debug/tengen', import.meta.url));
/** Records that both read, and records that both refuse. */
const SAME = [
  '(;GM[4]SZ[15]RU[renju];B[hh];W[ig](;B[ii];W[gg])(;B[gh]))',
  '(;GM[4]SZ[15]RU[RIF]AB[aa]AW[oo]PL[W];W[hh](;B[h9];W[ii])(;B[ii]C[x]))',
  'words before (;FF[3]GM[4]SiZe[15]RU[gomoku];B[h8]C[a \\] and\\\\ b];W[i9]N[name])',
  '(;GM[4];W[hh];B[ii])',
  '(;RU[cfour]SZ[7:6];B[df];W[de];B[ef])',
  '(;GM[4]SZ[3:3]RU[tictactoe];B[aa];W[bb])',
  '(;GM[4]SZ[15]RU[freestyle]\r\n;B[hh]\r\n;W[hi]\r\n)',
  '(;GM[4]SZ[19]RU[freestyle];B[jj];W[aa];B[ss])',
  '(;GM[4]SZ[15];B[hh];W[zz])',
  '(;GM[4]SZ[15];B[hh];W[hh])',
  '(;GM[4]SZ[99];B[hh])',
  '(;GM[1]SZ[19]RU[Japanese];B[pd])',
];

test('the page and the program read the same moves of a record', { skip: !existsSync(PROGRAM) && `skipped: ${PROGRAM} is absent` }, () => {
  const input = SAME.map((text, n) => `${JSON.stringify({ id: String(n), action: 'read_record', name: 'game.sgf', text })}\n`).join('');
  const { stdout } = spawnSync(PROGRAM, ['--dialect', 'json'], { input, encoding: 'utf8' });
  const replies = new Map(stdout.trim().split('\n').map((line) => JSON.parse(line)).map((reply) => [reply.id, reply]));
  for (const [n, text] of SAME.entries()) {
    const { line } = replies.get(String(n));
    let own = null;
    try {
      const game = readSgf(text);
      own = [game.shape.variant, game.shape.w, game.shape.h, game.mainLine().slice(1).map((node) => node.move)];
    } catch { /* The page refuses the record. */ }
    if (n < 8) assert.ok(own, text);
    assert.deepEqual(own, line && [line.variant, line.board.width, line.board.height, line.moves], text);
  }
});

test('moves of one node keep their order, and all comments stay', () => {
  const game = readSgf('(;GM[4]SZ[]RE[1/2];B[hh]W[ig]B[gj]C[one]C[two][three];W[aa])');
  const line = [];
  for (let node = game.root.children[0]; node; node = node.children[0]) line.push(node.move);
  assert.deepEqual(line, ['h8', 'i9', 'g6', 'a15']);
  assert.equal(game.root.end().parent.comment, 'one\ntwo\nthree');
  assert.equal(game.said.winner, null);
});

test('the games of a collection are found, whatever their values hold', () => {
  const text = 'a note\n(;GM[4]PB[Anna \\] (x]PW[]RE[B+R];B[hh])\n\n(;GM[4]DT[2020];B[aa](;W[bb])(;W[cc]C[)]))(no game)(;PW[Olga';
  const games = gamesOf(text);
  assert.deepEqual(games.map(({ first, second, result, date, at }) => [first, second, result, date, text.slice(at, at + 2)]), [['Anna ] (x', '', 'B+R', '', '(;'], ['', '', '', '2020', '(;']]);
  assert.equal(games[1].text, '(;GM[4]DT[2020];B[aa](;W[bb])(;W[cc]C[)]))');
  assert.equal(placedText(text, games[1]).split('\n').length, 4);
  assert.equal(gamesOf('(;GM[4]').length, 0);
});

test('the report of a resigned game has its result, in the words of its board', { skip: !existsSync(PROGRAM) && `skipped: ${PROGRAM} is absent` }, () => {
  const games = /** @type {const} */ ([
    ['gomoku', ['h8', 'i9', 'j7'], 'White wins'],
    ['cfour', ['d1', 'd2', 'e1'], 'Yellow wins'],
    ['tictactoe', ['b2', 'a2', 'a3'], 'O wins'],
  ]);
  const queries = games.map(([variant, moves]) => {
    const game = new Game(shapeOf(variant));
    let node = game.root;
    for (const move of moves) node = game.add(node, move);
    game.result = { winner: 'second', why: 'resign' };
    const sgf = writeSgf(game, { values: false });
    return JSON.stringify({ ...game.query(node), id: variant, action: 'review', nodes: 50, sgf, moves: undefined, fen: undefined, include_report: true });
  });
  const { stdout } = spawnSync(PROGRAM, ['--dialect', 'json'], { input: queries.join('\n'), encoding: 'utf8' });
  const replies = stdout.trim().split('\n').map((line) => JSON.parse(line));
  for (const [variant, , result] of games) {
    const reply = replies.find((one) => one.id === variant && one.type === 'game');
    assert.ok(reply.report.includes(`<p>Result: ${result}</p>`), variant);
  }
});
