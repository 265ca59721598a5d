// The page's reader of SGF beside the program's: random records, good and bad ones. What both read must be one tree, and what one
// refuses the other must refuse.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RecordError, readSgf } from '../../../web/page/js/record/sgf.js';

const PROGRAM = process.env.TENGEN ?? fileURLToPath(new URL('../../../target/debug/tengen', import.meta.url));
const COUNT = 1000;

/** Names of rules and sizes of boards. */
const RULES = [['renju', 15], ['freestyle', 15], ['gomoku', 15], ['standard', 19], ['caro', 15], ['RIF', 15], ['freestyle', 20], ['free', 10], ['gobang', 15]];
/** Values with all that is written in a special way. */
const TEXTS = ['a', 'x \\] y', 'back\\\\slash', 'two\nlines', 'soft\\\nbreak', '', 'colon: yes', '好手', '(;B[aa\\])', '  blanks  ', '\ttab', 'a\r\nb'];
const RESULTS = ['B+R', 'W+', '0', '?', 'B+5', 'Draw', 'Void', 'W+Time', 'b+resign', ''];
const MARKS = ['BM[1]', 'BM[2]', 'DO[]', 'HO[1]', 'TE[1]', 'LB[aa:A][bb:2]', 'MA[cc]', 'XX[unknown]', 'BL[12.5]WL[3]'];

/** Returns a function that makes one random record after another, the same ones each time. */
function source() {
  let x = 12345;
  const below = (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % n;
  };
  const pick = (list) => list[below(list.length)];
  return () => {
    const [rule, size] = pick(RULES);
    /** The points that have a stone. @type {Set<number>} */
    const used = new Set();
    const name = (c, r) => (below(5) ? String.fromCharCode(97 + c, 97 + r) : String.fromCharCode(97 + c) + (size - r));
    const point = () => {
      for (;;) {
        const [c, r] = [below(size), below(size)];
        if (used.has(c * 100 + r) && below(40)) continue;
        used.add(c * 100 + r);
        return below(60) ? name(c, r) : pick(['', 'tt', 'zz', 'a', 'h99']);
      }
    };
    const needsSize = size !== 15;
    let head = `FF[${pick([3, 4])}]${below(5) ? 'GM[4]' : ''}${needsSize || below(6) ? `SZ[${below(8) ? size : `${size}:${size}`}]` : ''}${below(8) ? `RU[${rule}]` : ''}`;
    if (!below(6)) head += `AB[${point()}]AW[${point()}]${below(2) ? 'PL[B]' : ''}`;
    if (!below(6)) head += `C[${pick(TEXTS)}]`;
    if (!below(4)) head += `PB[${pick(TEXTS)}]PW[w]RE[${pick(RESULTS)}]`;
    const branch = (first, depth) => {
      let [text, side] = ['', first];
      for (let left = 1 + below(5); left > 0; left--) {
        text += below(10) ? ';' : ' ;\n';
        for (let moves = below(15) ? 1 : 2; moves > 0; moves--) {
          text += `${side}[${point()}]`;
          // A side plays twice now and then.
          if (below(60)) side = side === 'B' ? 'W' : 'B';
        }
        if (!below(4)) text += `C[${pick(TEXTS)}]`;
        if (!below(12)) text += `N[${pick(TEXTS)}]`;
        if (!below(15)) text += pick(MARKS);
      }
      if (depth === 3 || below(2)) return text;
      const before = [...used];
      for (let left = 1 + below(3); left > 0; left--) {
        used.clear();
        for (const one of before) used.add(one);
        text += `(${branch(side, depth + 1)})`;
      }
      return text;
    };
    const text = `(;${head}${branch('B', 0)})`;
    return below(40) ? text : text.slice(0, below(text.length));
  };
}

/** What a record says: board, setup, moves of all variations, comments. @param {string} text */
function read(text) {
  let game;
  try {
    game = readSgf(text);
  } catch (error) {
    if (error instanceof RecordError) return null;
    throw error;
  }
  const of = (node) => [node.move, node.side, node.comment, node.children.map(of)];
  return [game.shape, game.setup, game.root.turn, of(game.root)];
}

test(`${COUNT} random records: page and program read one tree of each, and refuse the same ones`, { skip: !existsSync(PROGRAM) && `skipped: ${PROGRAM} is absent` }, () => {
  const next = source();
  const records = Array.from({ length: COUNT }, next);
  const input = records.map((text, n) => `${JSON.stringify({ id: String(n), action: 'convert_record', to: 'sgf', name: 'game.sgf', text })}\n`).join('');
  const { stdout } = spawnSync(PROGRAM, ['--dialect', 'json'], { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  /** The records as the program writes what it has read. @type {Map<string, string>} */
  const written = new Map();
  for (const line of stdout.trim().split('\n')) {
    const { id, type, text = '' } = JSON.parse(line);
    if (type !== 'error' && type !== 'warning') written.set(id, (written.get(id) ?? '') + text);
  }
  let refused = 0;
  for (const [n, text] of records.entries()) {
    const program = written.get(String(n));
    if (program === undefined) refused++;
    assert.deepEqual(read(text), program === undefined ? null : read(program), text);
  }
  assert.ok(refused > COUNT / 20 && refused < COUNT / 2, `${refused} refused`);
});
