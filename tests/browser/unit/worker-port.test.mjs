// The engine in the page: one search at a time, a stop that ends the worker, and the state of loading.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, RETRY_DELAYS } from '../../../web/page/js/protocol/client.js';
import { WorkerPort } from '../../../web/page/js/protocol/worker-port.js';

const turn = () => new Promise((resolve) => { setImmediate(resolve); });

/** A port whose workers are lists of what they were sent. */
async function setUp(threads = 0) {
  const world = { workers: [], loading: [], lines: [], closed: [] };
  const start = (name) => {
    const postMessage = (message, ports = []) => (ports.length ? worker.ports.push(...ports) : worker.sent.push(JSON.parse(message)));
    const worker = { name, sent: [], ports: [], ended: false, onmessage: null, onerror: null, postMessage, terminate: () => { worker.ended = true; } };
    worker.say = (message) => worker.onmessage?.({ data: typeof message === 'string' ? message : 'state' in message ? message : JSON.stringify(message) });
    world.workers.push(worker);
    return worker;
  };
  world.port = new WorkerPort({ start, memory: () => 32, threads: () => threads, loading: (part) => world.loading.push(part) });
  world.port.onmessage = ({ data }) => world.lines.push(JSON.parse(data));
  world.port.onclose = (event) => world.closed.push(event.code);
  await new Promise((resolve) => { world.port.onopen = resolve; });
  world.send = (query) => world.port.send(JSON.stringify(query));
  return world;
}

test('rules are answered by one worker while another one searches', async () => {
  const world = await setUp();
  world.send({ id: 'a', infinite: true });
  world.send({ id: 'b', action: 'position' });
  assert.deepEqual(world.workers.map(({ name, sent }) => [name, sent[0].id]), [['32', 'a'], ['1', 'b']]);
  world.workers[1].say({ type: 'position', id: 'b' });
  assert.deepEqual(world.lines.map(({ id }) => id), ['b']);
});

test('searches run one after another', async () => {
  const world = await setUp();
  world.send({ id: 'a' });
  world.send({ id: 'b', action: 'review' });
  const [worker] = world.workers;
  assert.deepEqual(worker.sent.map(({ id }) => id), ['a']);
  worker.say({ type: 'report', id: 'a' });
  worker.say({ type: 'answer', id: 'a' });
  assert.deepEqual(worker.sent.map(({ id }) => id), ['a', 'b']);
  worker.say({ type: 'move', id: 'b' });
  worker.say({ type: 'game', id: 'b' });
  assert.equal(world.port.running, null);
});

test('a stop ends the worker, answers with the last report, and the next search has a new worker', async () => {
  const world = await setUp();
  world.send({ id: 'a', infinite: true });
  world.workers[0].say({ type: 'report', id: 'a', depth: 9, best: 'h8' });
  world.send({ id: 'b', infinite: true });
  world.send({ id: 'c', action: 'terminate', terminate_id: 'a' });
  await turn();
  assert.ok(world.workers[0].ended);
  assert.deepEqual(world.lines.slice(1), [{ type: 'answer', id: 'a', depth: 9, best: 'h8', ended_by: 'terminated' }, { type: 'terminate', id: 'c', action: 'terminate', terminate_id: 'a', count: 1 }]);
  assert.deepEqual(world.workers[1].sent.map(({ id }) => id), ['b']);
});

test('while a search without an end runs, the other worker does other searches', async () => {
  const world = await setUp();
  world.send({ id: 'a', infinite: true });
  world.send({ id: 'b', nodes: 1000 });
  assert.deepEqual(world.workers.map(({ sent }) => sent.map(({ id }) => id)), [['a'], ['b']]);
  world.workers[1].say({ type: 'answer', id: 'b' });
  assert.deepEqual(world.lines.map(({ id }) => id), ['b']);
});

test('a search without an end that has nothing more to search is ended, and its answer is the last one', async () => {
  const world = await setUp();
  world.send({ id: 'a', infinite: true });
  const [worker] = world.workers;
  worker.say({ type: 'report', id: 'a', depth: 1 });
  worker.say({ state: 'idle', id: 'another' });
  assert.equal(worker.sent.length, 1);
  worker.say({ state: 'idle', id: 'a' });
  assert.deepEqual([worker.sent[1].action, worker.sent[1].terminate_id], ['terminate', 'a']);
  worker.say({ type: 'answer', id: 'a', depth: 5, ended_by: 'solved' });
  assert.equal(world.port.running, null);
  assert.equal(world.lines.at(-1).ended_by, 'solved');
});

test('a worker that is ended while it loads leaves no word about it, and a later one tells nothing', async () => {
  const world = await setUp();
  world.send({ id: 'a', infinite: true });
  world.workers[0].say({ state: 'loading', loaded: 5, total: 10 });
  world.send({ id: 'b', action: 'terminate', terminate_id: 'a' });
  assert.deepEqual(world.loading, [0.5, null]);
  world.send({ id: 'c', infinite: true });
  world.workers[1].say({ state: 'loading', loaded: 10, total: 10 });
  world.workers[1].say({ state: 'ready' });
  world.send({ id: 'd', action: 'terminate', terminate_id: 'c' });
  world.send({ id: 'e', infinite: true });
  world.workers[2].say({ state: 'loading', loaded: 0, total: 10 });
  assert.deepEqual(world.loading, [0.5, null, 1, null, null]);
});

test('a search that waits or has no report ends without results', async () => {
  const world = await setUp();
  world.send({ id: 'a' });
  world.send({ id: 'b' });
  world.send({ id: 'c', action: 'terminate_all' });
  await turn();
  assert.deepEqual(world.lines.map(({ id, no_results, count }) => [id, no_results ?? count]), [['b', true], ['a', true], ['c', 2]]);
});

test('loading is told, and an engine that fails closes the port with its words', async () => {
  const world = await setUp();
  world.port.warm();
  const [worker] = world.workers;
  worker.say({ state: 'loading', loaded: 1, total: 4 });
  worker.say({ state: 'ready' });
  worker.say({ state: 'failed', message: 'no memory' });
  await turn();
  assert.deepEqual(world.loading, [0.25, null, null]);
  assert.deepEqual([world.lines[0].message, world.closed], ['no memory', [1011]]);
});

test('on shared memory an engine has helpers, which speak with it and end with it', async () => {
  const world = await setUp(3);
  world.send({ id: 'a', infinite: true });
  const [engine, ...helpers] = world.workers;
  assert.deepEqual(world.workers.map(({ name }) => name), ['32 3', 'helper', 'helper']);
  for (const [index, { ports: [port] }] of helpers.entries()) {
    const heard = new Promise((resolve) => { port.onmessage = ({ data }) => resolve(data); });
    engine.ports[index].postMessage(index);
    assert.equal(await heard, index);
    port.close();
  }
  world.send({ id: 'b', action: 'position' });
  assert.equal(world.workers[3].name, '1 1', 'rules need one thread');
  world.send({ id: 'c', action: 'terminate', terminate_id: 'a' });
  assert.deepEqual(world.workers.map(({ ended }) => ended), [true, true, true, false]);
  assert.deepEqual(world.closed, []);
});

test('a helper that fails ends the engine, which would wait for it', async () => {
  const world = await setUp(2);
  world.send({ id: 'a', infinite: true });
  const [engine, helper] = world.workers;
  for (const { ports: [port] } of world.workers) port.close();
  helper.onerror({ message: 'a fault' });
  await turn();
  assert.deepEqual([world.lines[0].message, world.closed, engine.ended, helper.ended], ['a fault', [1011], true, true]);
});

test('an engine that does not load is named once for each attempt, tried ever later, and its query is answered when it loads', async () => {
  const world = { workers: [], timers: [], states: [], notices: [] };
  const client = new Client({
    open: () => {
      const start = () => world.workers[world.workers.push({ sent: [], postMessage(text) { this.sent.push(JSON.parse(text)); }, terminate() {} }) - 1];
      return new WorkerPort({ start, memory: () => 32, loading: () => {}, ready: () => client.onReady() });
    },
    setTimer: (f, ms) => world.timers.push({ f, ms }),
    clearTimer: () => {},
    now: () => 0,
    token: () => null,
    changed: (state) => world.states.push([state, client.attempts]),
    notice: ({ code, message }) => world.notices.push([code, message]),
  });
  client.isRemote = false;
  client.connect();
  const answer = client.reply({ nodes: 10 });
  const worker = async (count) => { while (world.workers.length < count) await turn(); return world.workers[count - 1]; };
  for (const count of [1, 2, 3]) {
    (await worker(count)).onmessage({ data: { state: 'failed', message: 'broken' } });
    world.timers.at(-1).f();
  }
  assert.deepEqual(world.timers.map(({ ms }) => ms), RETRY_DELAYS.slice(0, 3));
  assert.deepEqual(world.notices, Array(3).fill(['no_engine', 'broken']));
  const last = await worker(4);
  assert.deepEqual(world.states.at(-1), ['open', 3]);
  last.onmessage({ data: { state: 'ready' } });
  assert.deepEqual(world.states.at(-1), ['open', 0]);
  last.onmessage({ data: JSON.stringify({ type: 'answer', id: last.sent[0].id, best: 'h8' }) });
  assert.equal((await answer).best, 'h8');
});

test('the client speaks to a worker as to a socket', async () => {
  const world = await setUp();
  const client = new Client({ open: () => world.port, setTimer: () => 0, clearTimer: () => {}, now: () => 0, token: () => null, changed: () => {}, notice: () => {} });
  world.port.readyState = 0;
  client.connect();
  world.port.readyState = 1;
  world.port.onopen({});
  await turn();
  assert.equal(client.state, 'open');
  const answer = client.reply({ nodes: 10 });
  const [worker] = world.workers;
  worker.say({ type: 'answer', id: worker.sent[0].id, best: 'h8' });
  assert.equal((await answer).best, 'h8');
});
