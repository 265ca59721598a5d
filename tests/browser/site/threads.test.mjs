// The engine on shared memory: a host that sends the headers for it has searches with several threads, and any other host has one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch } from '../lib/board.mjs';
import { ENGINE, ISOLATION, serveSite } from './site.mjs';

const CODE = { alone: `/${ENGINE}/tengen_wasm_bg.wasm`, shared: `/${ENGINE}/tengen_threads_bg.wasm` };

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** Defines `connect()` in the page: a port with an engine. Its `ask` sends a line and returns the last reply to it. */
const DEFINE = () => {
  localStorage.setItem('tengen.start', 'play');
  globalThis.connect = async () => {
    const { WorkerPort } = await import(new URL('js/protocol/worker-port.js', document.baseURI).href);
    const port = new WorkerPort({ loading: () => {} });
    const waiting = new Map();
    port.onmessage = ({ data }) => {
      const reply = JSON.parse(data);
      if (reply.code === 'no_engine') for (const { reject } of waiting.values()) reject(new Error(reply.message));
      const one = waiting.get(reply.id);
      if (one && (one.isLast(reply) || reply.type === 'error')) one.resolve(reply);
    };
    await new Promise((resolve) => { port.onopen = resolve; });
    const ask = (query, isLast = ({ type }) => type !== 'report') => new Promise((resolve, reject) => {
      waiting.set(query.id, { resolve, reject, isLast });
      port.send(JSON.stringify(query));
    });
    return { port, ask };
  };
};

/** Opens the site in a new profile. Returns the page, and the errors that it prints. @param {{ url: string }} site */
async function open(site) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await context.addInitScript(DEFINE);
  await page.goto(site.url);
  return { context, page, errors };
}

const POSITION = { variant: 'gomoku', moves: 'h8 i9 h9 h7', fresh: true };

test('a host with the headers: a search has several threads', { timeout: 120_000 }, async (t) => {
  const site = await serveSite({}, 0, ISOLATION);
  const { context, page, errors } = await open(site);
  const processors = await page.evaluate(() => navigator.hardwareConcurrency);
  if (processors < 2) return t.skip('one processor');
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  const nodes = await page.evaluate(async (position) => {
    const { port, ask } = await connect();
    const replies = [];
    for (const threads of [1, 1, 2]) replies.push(await ask({ id: `${replies.length}`, ...position, depth: 10, threads }));
    port.close();
    return replies.map((reply) => reply.nodes);
  }, POSITION);
  assert.equal(nodes[0], nodes[1], 'a search with one thread is repeated to the node');
  assert.notEqual(nodes[1], nodes[2], 'a helper has searched');
  assert.ok(!site.asked.includes(CODE.alone), 'one engine is loaded');
  assert.deepEqual(errors, []);
  await context.close();
  await site.close();
});

test('a host with the headers: a stop ends all threads of a search, and the next search begins', { timeout: 120_000 }, async (t) => {
  const site = await serveSite({}, 0, ISOLATION);
  const { context, page, errors } = await open(site);
  if (await page.evaluate(() => navigator.hardwareConcurrency) < 2) return t.skip('one processor');
  await page.evaluate(async (position) => {
    Object.assign(globalThis, await connect());
    return ask({ id: 'endless', ...position, infinite: true, report_every_ms: 50 }, ({ type, depth }) => type === 'report' && depth > 5);
  }, POSITION);
  const ended = page.workers().map((worker) => worker.waitForEvent('close'));
  assert.ok(ended.length >= 2, `${ended.length} workers`);
  const stop = await page.evaluate(async () => {
    const begin = performance.now();
    await ask({ id: 'stop', action: 'terminate', terminate_id: 'endless' });
    return performance.now() - begin;
  });
  await Promise.all(ended);
  t.diagnostic(`the stop was answered after ${stop.toFixed(1)} ms`);
  const next = await page.evaluate((position) => ask({ id: 'next', ...position, nodes: 20_000 }), POSITION);
  assert.equal(next.type, 'answer');
  assert.deepEqual(errors, []);
  await context.close();
  await site.close();
});

test('a host with the headers: without the network the engine on shared memory loads again', { timeout: 120_000 }, async (t) => {
  const site = await serveSite({}, 0, ISOLATION);
  const { context, page } = await open(site);
  if (await page.evaluate(() => navigator.hardwareConcurrency) < 2) return t.skip('one processor');
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller) await new Promise((resolve) => { navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }); });
  });
  assert.ok(!site.asked.includes(CODE.alone) && site.asked.includes(CODE.shared), `${site.asked}`);
  await site.close();
  await page.reload();
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  const reply = await page.evaluate(async (position) => (await connect()).ask({ id: 'a', ...position, nodes: 20_000 }), POSITION);
  assert.equal(reply.type, 'answer');
  await context.close();
});

test('any other host: a search has one thread', { timeout: 120_000 }, async () => {
  const site = await serveSite();
  const { context, page, errors } = await open(site);
  const reply = await page.evaluate(async (position) => (await connect()).ask({ id: 'a', ...position, nodes: 20_000 }), POSITION);
  assert.equal(reply.type, 'answer');
  assert.ok(!site.asked.includes(CODE.shared), 'the engine on shared memory is not loaded');
  assert.deepEqual(errors.filter((text) => !/404/.test(text)), []);
  await context.close();
  await site.close();
});
