// The engine of the site in Node: the moves and scores of the native program, reports during a search, and bad input.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ENGINE, fileOf } from './site.mjs';

const PROGRAM = process.env.TENGEN ?? fileURLToPath(new URL('../../../target/debug/tengen', import.meta.url));
const HASH = 64;

const bindings = await import(fileOf(`${ENGINE}/tengen_wasm_bindings.js`).href);
await bindings.default({ module_or_path: await readFile(fileOf(`${ENGINE}/tengen_wasm_bg.wasm`)) });

/** Returns an engine and the replies that it has sent. */
function start(mib = HASH) {
  const replies = [];
  const engine = new bindings.Engine((line) => replies.push(JSON.parse(line)), mib);
  const ask = (query) => {
    replies.length = 0;
    engine.line(JSON.stringify(query));
    return [...replies];
  };
  return { engine, ask, replies };
}

/** Returns the answers of the native program, by id. @param {object[]} queries */
async function native(queries) {
  const child = spawn(PROGRAM, ['--dialect', 'json', '--workers', '1', '--hash', String(HASH)], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(queries.map((query) => `${JSON.stringify(query)}\n`).join(''));
  const answers = new Map();
  for await (const line of createInterface({ input: child.stdout })) {
    const reply = JSON.parse(line);
    answers.set(reply.id, reply);
  }
  return answers;
}

/** What must be equal everywhere: all but times. */
const essence = ({ time_ms, nps, queue_ms, ...rest }) => rest;

test('a search without an end that is over has sent its last report', () => {
  const { ask } = start();
  const reports = ask({ id: 'a', variant: 'tictactoe', infinite: true, report_every_ms: 60_000 });
  assert.deepEqual(reports.map(({ type }) => type), ['report']);
  const { type, depth, score, pv, ended_by } = ask({ id: 'b', action: 'terminate', terminate_id: 'a' }).find(({ id }) => id === 'a');
  assert.deepEqual([type, ended_by === undefined], ['answer', false]);
  assert.deepEqual([reports[0].depth, reports[0].score, reports[0].pv], [depth, score, pv]);
});

const GAMES = [
  { variant: 'gomoku', moves: 'h8 i9 h9 h7' },
  { variant: 'gomokufreestyle', moves: 'h8 h9 i8' },
  { variant: 'renju', moves: 'h8 i9 i8 g8 j10' },
  { variant: 'caro', moves: 'h8 i9 h10', multi_pv: 2 },
  { variant: 'cfour', moves: 'd1 d2 d3 d4 e1', book: false },
  { variant: 'cfour-misere', moves: 'd1 d2' },
  { variant: 'custom', board: { width: 9, height: 9, connect: 5, gravity: false }, moves: 'e5 d4' },
  { variant: 'tictactoe', moves: 'a1' },
];

test('the moves, scores and nodes of the native program, at fixed nodes', async () => {
  const queries = GAMES.map((game, index) => ({ id: `q${index}`, ...game, nodes: 100_000, fresh: true }));
  const { ask } = start();
  const answers = await native(queries);
  for (const query of queries) {
    const last = ask(query).at(-1);
    assert.equal(last.type, 'answer', JSON.stringify(last));
    assert.deepEqual(essence(last), essence(answers.get(query.id)), query.variant);
    assert.ok(last.nodes > 0);
  }
});

test('the bench has the nodes of the native program', async () => {
  const { stdout } = await promisify(execFile)(PROGRAM, ['bench']);
  const lines = [...stdout.matchAll(/^bench +\S+ +(\S+) +depth +(\d+) +nodes +(\d+) +best +(\S+) +moves +(.+)$/gm)];
  // A line does not say which board of the variant custom it is.
  const known = lines.filter(([, variant]) => variant !== 'custom');
  assert.ok(known.length >= 10 && lines.length > known.length, stdout);
  const { ask } = start(16);
  for (const [line, variant, depth, nodes, best, moves] of known) {
    const answer = ask({ id: 'a', variant, moves: moves === '-' ? '' : moves, depth: Number(depth), fresh: true, book: false }).at(-1);
    assert.deepEqual([answer.nodes, answer.best], [Number(nodes), best], line);
  }
});

test('a solved position has the native score', async () => {
  const queries = ['4455', '44444'].map((moves) => ({ id: moves, action: 'solve', moves, book: false }));
  const { ask } = start();
  const answers = await native(queries);
  for (const query of queries) assert.equal(ask(query).at(-1).solver_score, answers.get(query.id).solver_score);
});

test('reports arrive during the search', () => {
  const times = [];
  const engine = new bindings.Engine((line) => times.push([JSON.parse(line).type, performance.now()]), 16);
  const begin = performance.now();
  engine.line(JSON.stringify({ id: 'a', variant: 'renju', moves: 'h8 i9', time_ms: 600, report_every_ms: 20 }));
  const end = performance.now();
  const reports = times.filter(([type]) => type === 'report');
  assert.ok(reports.length >= 3, `${reports.length} reports`);
  assert.ok(reports[0][1] - begin < (end - begin) / 2, 'the first one comes early');
  assert.equal(times.at(-1)[0], 'answer');
  assert.ok(end - begin >= 500 && end - begin < 5000, `${end - begin} ms`);
});

test('who gets a report may stop the search and ask the next question', () => {
  const replies = [];
  const engine = new bindings.Engine((line) => {
    const reply = JSON.parse(line);
    replies.push(reply);
    if (reply.type !== 'report' || replies.filter(({ type }) => type === 'report').length !== 1) return;
    engine.line(JSON.stringify({ id: 'stop', action: 'terminate', terminate_id: 'endless' }));
    engine.line(JSON.stringify({ id: 'next', variant: 'tictactoe' }));
  }, 16);
  engine.line(JSON.stringify({ id: 'endless', variant: 'gomoku', moves: 'h8', infinite: true, report_every_ms: 20 }));
  assert.equal(replies.find(({ id, type }) => id === 'endless' && type === 'answer').ended_by, 'terminated');
  assert.equal(replies.at(-1).id, 'next');
});

test('messages are numbered after hello', () => {
  const { ask } = start();
  assert.equal(ask({ id: 'v', action: 'query_version' })[0].seq, undefined);
  assert.equal(ask({ id: 'h', action: 'hello' })[0].seq, 1);
  const version = ask({ id: 'v', action: 'query_version' })[0];
  assert.equal(version.seq, 2);
  assert.deepEqual([version.workers, version.threads, version.hash_mib], [1, 1, HASH]);
});

test('the book of four in a row comes later', async () => {
  const { engine, ask } = start(16);
  const start_of_game = { id: 'a', moves: '', time_ms: 100 };
  assert.equal(engine.needs_book(JSON.stringify(start_of_game)), true);
  assert.equal(engine.needs_book('{"id":"a","variant":"gomoku"}'), false);
  assert.throws(() => engine.book(new Uint8Array(100)), /the book of 100 bytes: not an opening book/);
  const bytes = new Uint8Array(await readFile(fileOf(`${ENGINE}/cfour.book`)));
  const damaged = bytes.slice();
  damaged[1000] ^= 1;
  assert.throws(() => engine.book(damaged), /its checksum is wrong/);
  engine.book(bytes);
  assert.equal(engine.needs_book(JSON.stringify(start_of_game)), false);
  const answer = ask(start_of_game).at(-1);
  assert.deepEqual([answer.best, answer.score], ['d1', { win_in: 41 }]);
});

test('bad input has one reply and changes nothing', () => {
  for (const mib of [0, 257, Number.NaN]) assert.throws(() => new bindings.Engine(() => {}, mib), /table_mib \d+: it must be from 1 to 256/);
  assert.throws(() => new bindings.Engine('postMessage', 16), /send: it must be a function/);
  const { engine, ask, replies } = start(1);
  for (const [line, code] of [['{', 'bad_json'], ['[]', 'bad_json'], ['{"id":"a","variant":"chess"}', 'unknown_variant'], ['{"id":"a","nodes":-1}', 'bad_field'], [`{"id":"${'x'.repeat(2 << 20)}"}`, 'too_large'], [`"${'é'.repeat(1 << 20)}"`, 'too_large']]) {
    replies.length = 0;
    engine.line(line);
    assert.deepEqual(replies.map(({ type, code: found }) => [type, found]), [['error', code]], line.slice(0, 40));
  }
  assert.equal(ask({ id: 'b', variant: 'gomoku', moves: 'h8', nodes: 100 }).at(-1).type, 'answer');
});

test('a function that throws ends no conversation, and two engines share nothing', () => {
  const broken = new bindings.Engine(() => { throw new Error('the page is broken'); }, 1);
  broken.line('{"id":"a","variant":"gomoku","nodes":100}');
  const one = start(1);
  const two = start(1);
  assert.equal(one.ask({ id: 'a', variant: 'gomoku', nodes: 100 }).at(-1).type, 'answer');
  assert.deepEqual(two.replies, []);
  one.engine.free();
  assert.equal(two.ask({ id: 'b', variant: 'gomoku', nodes: 100 }).at(-1).type, 'answer');
});

test('a report that is due is sent in the middle of an iteration', () => {
  // The lines of an iteration come together. With an interval, all but the first wait, but not for the next iteration.
  const reports = [];
  const engine = new bindings.Engine((line) => {
    const reply = JSON.parse(line);
    if (reply.type === 'report') reports.push(reply);
  }, 16);
  engine.line(JSON.stringify({ id: 'a', variant: 'gomoku', moves: 'h8 i9', multi_pv: 3, nodes: 600_000, report_every_ms: 20 }));
  const nodes = reports.map((report) => report.nodes);
  // A report that was written in an iteration repeats the nodes of the end of the iteration before.
  assert.ok(nodes.some((value, index) => index > 0 && value === nodes[index - 1]), `${nodes}`);
  assert.equal(reports.at(-1).moves.length, 3);
});
