// The connection: each query ends exactly once, even if the server is restarted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, RETRY_DELAYS } from '../../../web/page/js/protocol/client.js';

/** A client with simulated sockets and timers. */
function setUp({ token = null } = {}) {
  const world = { sockets: [], timers: [], states: [], notices: [], now: 0 };
  world.client = new Client({
    open: () => {
      const socket = { sent: [], readyState: 0, send(text) { this.sent.push(JSON.parse(text)); }, close() { this.readyState = 3; } };
      world.sockets.push(socket);
      return socket;
    },
    setTimer: (f, ms) => world.timers.push({ f, ms }) && world.timers.at(-1),
    clearTimer: () => {},
    now: () => world.now,
    token: () => token,
    changed: (state) => world.states.push(state),
    notice: (reply) => world.notices.push(reply),
  });
  world.socket = () => world.sockets.at(-1);
  world.say = (message) => world.socket().onmessage({ data: JSON.stringify(message) });
  world.hello = (extra = {}) => {
    const socket = world.socket();
    socket.readyState = 1;
    socket.onopen();
    world.say({ type: 'hello', id: socket.sent[0].id, session: 's1', resumed: false, ...extra });
  };
  world.lose = (code = 1006) => world.socket().onclose({ code });
  world.client.connect();
  return world;
}

const sentActions = (socket) => socket.sent.map((message) => message.action ?? 'analyze');

test('a query that is asked before the connection opens is sent when it opens', () => {
  const world = setUp();
  const replies = [];
  const id = world.client.ask({ variant: 'renju' }, (reply) => replies.push(reply.type));
  world.hello();
  assert.deepEqual(world.socket().sent.at(-1), { variant: 'renju', id });
  world.say({ type: 'report', id, seq: 1 });
  world.say({ type: 'answer', id, seq: 2 });
  world.say({ type: 'answer', id, seq: 3 });
  assert.deepEqual(replies, ['report', 'answer']);
});

test('a cancelled query is terminated, and its late answer is dropped', () => {
  const world = setUp();
  world.hello();
  const id = world.client.ask({}, () => assert.fail('dropped'));
  world.client.cancel(id);
  assert.equal(world.socket().sent.at(-1).terminate_id, id);
  world.say({ type: 'answer', id, seq: 1 });
});

test('an idle connection that the server closes is reopened immediately; a young one is not', () => {
  const world = setUp();
  world.hello();
  world.now = 600_000;
  world.lose(1000);
  assert.deepEqual([world.sockets.length, world.states.at(-1)], [2, 'connecting']);
  world.hello();
  world.lose(1000);
  assert.deepEqual([world.sockets.length, world.states.at(-1)], [2, 'gone']);
});

test('after a lost connection the session is resumed and open queries are sent again', () => {
  const world = setUp();
  world.hello();
  const got = [];
  const first = world.client.ask({ n: 1 }, (reply) => got.push([1, reply.type]));
  const second = world.client.ask({ n: 2 }, (reply) => got.push([2, reply.type]));
  world.say({ type: 'report', id: first, seq: 1 });
  world.lose();
  assert.equal(world.timers.at(-1).ms, RETRY_DELAYS[0]);
  world.timers.at(-1).f();
  world.hello({ resumed: true });
  const [hello, marker] = world.socket().sent;
  assert.deepEqual([hello.resume, hello.last_seq], ['s1', 1]);
  world.say({ type: 'report', id: first, seq: 1 });
  world.say({ type: 'answer', id: first, seq: 2 });
  assert.equal(marker.action, 'query_version');
  world.say({ type: 'version', id: marker.id, seq: 3 });
  assert.deepEqual(world.socket().sent.slice(2).map((message) => message.id), [second]);
  world.say({ type: 'error', code: 'duplicate_id', id: second, seq: 4 });
  world.say({ type: 'answer', id: second, seq: 5 });
  assert.deepEqual(got, [[1, 'report'], [1, 'answer'], [2, 'answer']]);
});

test('after a restart of the server all open queries are sent again', () => {
  const world = setUp();
  world.hello();
  let ended = 0;
  const id = world.client.ask({ n: 1 }, (reply, last) => { if (last) ended++; });
  world.lose();
  world.timers.at(-1).f();
  const socket = world.socket();
  socket.readyState = 1;
  socket.onopen();
  world.say({ type: 'error', id: null, code: 'unknown_session' });
  assert.equal(socket.sent.at(-1).resume, undefined);
  world.say({ type: 'hello', id: socket.sent.at(-1).id, session: 's2', resumed: false });
  assert.equal(socket.sent.at(-1).id, id);
  world.say({ type: 'answer', id, seq: 1 });
  assert.equal(ended, 1);
});

test('the retry delays grow up to the last one', () => {
  const world = setUp();
  const delays = [];
  for (let i = 0; i < 7; i++) {
    world.lose();
    delays.push(world.timers.at(-1).ms);
    world.timers.at(-1).f();
  }
  assert.deepEqual(delays, [...RETRY_DELAYS, 8000, 8000]);
  world.hello();
  world.now = 10_000;
  world.lose();
  assert.equal(world.timers.at(-1).ms, RETRY_DELAYS[0]);
});

test('after "unauthorized" the client waits for a new token', () => {
  const world = setUp({ token: 'secret' });
  const socket = world.socket();
  socket.onopen();
  assert.equal(socket.sent[0].token, 'secret');
  world.say({ type: 'error', id: null, code: 'unauthorized' });
  assert.equal(world.states.at(-1), 'unauthorized');
  assert.equal(world.timers.length, 0);
  world.client.connect();
  assert.equal(world.sockets.length, 2);
});

test('a page that wakes up pings a silent connection, and replaces it without a reply', () => {
  const world = setUp();
  world.hello();
  world.now = 5_000;
  world.client.wake();
  assert.deepEqual(sentActions(world.socket()), ['hello']);
  world.now = 600_000;
  world.client.wake();
  assert.equal(world.socket().sent.at(-1).action, 'query_version');
  world.timers.at(-1).f();
  assert.equal(world.sockets.length, 2);
});

test('messages of a replaced socket are ignored', () => {
  const world = setUp();
  world.hello();
  const old = world.socket();
  const id = world.client.ask({}, () => assert.fail('dropped'));
  world.client.connect();
  old.onmessage({ data: JSON.stringify({ type: 'answer', id, seq: 1 }) });
  old.onclose();
  assert.equal(world.sockets.length, 2);
});

test('an error of the server rejects the promise', async () => {
  const world = setUp();
  world.hello();
  const waiting = world.client.reply({ action: 'position' });
  world.say({ type: 'error', id: world.socket().sent.at(-1).id, code: 'bad_board', message: 'width 27', seq: 1 });
  await assert.rejects(waiting, /width 27/);
});

test('notices and text that is no JSON change nothing', () => {
  const world = setUp();
  world.hello();
  world.say({ type: 'notice', code: 'shutting_down', seq: 1 });
  world.socket().onmessage({ data: 'nonsense' });
  assert.deepEqual(world.notices.map((notice) => notice.code), ['shutting_down', 'bad_json']);
});

test('parts of a query have its id, and a reply with more to come is not the last one', () => {
  const world = setUp();
  world.hello();
  const replies = [];
  const id = world.client.ask({ action: 'convert_record', part: 2 }, (reply, last) => replies.push([reply.part, last]), [{ action: 'convert_record', part: 1, more: true }]);
  assert.deepEqual(world.socket().sent.slice(-2).map((query) => [query.id, query.part]), [[id, 1], [id, 2]]);
  for (const part of [1, 2]) world.say({ type: 'record_part', id, part, more: part === 1 });
  assert.deepEqual(replies, [[1, false], [2, true]]);
});

test('a line that is longer than the server takes is not sent, and its query ends with a word', async () => {
  const world = setUp();
  world.client.hooks.words = (key, values) => `${key} ${values.bytes}`;
  world.hello();
  const got = [];
  world.client.ask({ text: 'x'.repeat(70_000) }, (reply, last) => got.push([reply.code, reply.message, last]));
  const asks = world.socket().sent.at(-1);
  assert.equal(asks.action, 'query_version', 'the limits are asked for first');
  world.say({ type: 'version', id: asks.id, limits: { line_bytes: 65_536 }, seq: 1 });
  await new Promise((done) => { setImmediate(done); });
  const [[code, message, last]] = got;
  assert.deepEqual([code, last], ['query.too_large', true]);
  assert.match(message, /^query\.too_large 700\d\d$/);
  assert.deepEqual(sentActions(world.socket()), ['hello', 'query_version']);
  world.client.ask({ text: 'x'.repeat(60_000) }, () => {});
  assert.equal(world.socket().sent.at(-1).text.length, 60_000);
});

test('the query whose message closed the connection is never sent again; the others are', async () => {
  const world = setUp();
  world.hello();
  const got = [];
  world.client.ask({ text: 'long'.repeat(50) }, (reply) => got.push(reply.code));
  world.client.ask({ n: 2 }, () => {});
  world.lose(1009);
  world.timers.at(-1).f();
  world.hello();
  await Promise.resolve();
  assert.deepEqual(got, ['query.too_large']);
  assert.deepEqual(world.socket().sent.slice(1).map(({ n, text }) => n ?? text), [2]);
});

test('a query before whose answer the connection ends again and again is dropped with a word', async () => {
  const world = setUp();
  world.hello();
  const got = [];
  world.client.ask({ n: 1 }, (reply, last) => got.push([reply.code, last]));
  let sent = 1;
  for (let i = 0; i < 10; i++) {
    world.now += 60_000;
    world.lose();
    world.timers.at(-1).f();
    world.hello();
    sent += world.socket().sent.filter(({ n }) => n === 1).length;
  }
  await Promise.resolve();
  assert.deepEqual([got, sent], [[['query.lost', true]], 5]);
});

test('the delays grow on when a connection ends as soon as it is open, and the attempts have an end', () => {
  const world = setUp();
  const delays = [];
  for (let i = 0; i < 6; i++) {
    world.hello();
    world.lose();
    delays.push(world.timers.at(-1).ms);
    world.timers.at(-1).f();
  }
  assert.deepEqual(delays, [...RETRY_DELAYS, 8000]);
  const timers = () => world.timers.length;
  for (let before = -1; before !== timers();) {
    before = timers();
    world.lose();
    if (before !== timers()) world.timers.at(-1).f();
  }
  assert.deepEqual([timers(), world.client.retryAt, world.states.at(-1)], [60, Infinity, 'gone']);
  world.client.connect();
  world.hello();
  assert.equal(world.states.at(-1), 'open');
});
