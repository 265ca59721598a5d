// The site in Chromium on a static host: the engine in a worker under the page's policy, without the network, installable.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Board, launch } from '../lib/board.mjs';
import { ENGINE, fileOf, serveSite } from './site.mjs';

/** The page with a policy that lets a test start the engine. */
const EXTRA = {
  '/': readFileSync(fileOf('index.html'), 'utf8').replace('trusted-types tengen', "trusted-types probe 'allow-duplicates' tengen"),
};

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** Opens the site in a new profile. Returns the page, and what its policy or a fault printed. @param {{ url: string }} site */
async function open(site) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => {
    // Without a server the page's socket fails; that is no fault of the site.
    if (message.type() === 'error' && !/WebSocket|404|ERR_/.test(message.text())) errors.push(message.text());
  });
  await context.addInitScript(() => localStorage.setItem('tengen.start', 'play'));
  await page.goto(site.url);
  return { context, page, errors };
}

/** Asks an engine in a new worker of the page. Returns its last reply. @param {import('playwright-core').Page} page @param {object} query */
const ask = (page, query) => page.evaluate((asked) => new Promise((resolve, reject) => {
  const policy = trustedTypes.createPolicy('probe', { createScriptURL: (name) => name });
  const worker = new Worker(policy.createScriptURL('js/protocol/engine-worker.js'), { type: 'module', name: '16' });
  worker.onerror = (event) => reject(new Error(event.message ?? 'the worker did not start'));
  worker.onmessage = ({ data }) => {
    // An object tells the state of the engine.
    if (typeof data !== 'string') return;
    const reply = JSON.parse(data);
    if (!['report', 'warning'].includes(reply.type)) resolve(reply);
  };
  worker.postMessage(JSON.stringify(asked));
}), query);

/** Waits until the service worker answers for the page. @param {import('playwright-core').Page} page */
const becomeOffline = (page) => page.evaluate(async () => {
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller) await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }));
});

test('the engine answers in a worker, and fetches the book of four in a row when it is asked for', { timeout: 60_000 }, async () => {
  const site = await serveSite(EXTRA);
  const { context, page, errors } = await open(site);
  const gomoku = await ask(page, { id: 'a', variant: 'gomoku', moves: 'h8 i9', nodes: 20_000 });
  assert.equal(gomoku.type, 'answer');
  assert.ok(!site.asked.includes(`/${ENGINE}/cfour.book`));
  const start = await ask(page, { id: 'b', action: 'solve' });
  assert.deepEqual([start.type, start.score], ['solution', { win_in: 41 }]);
  assert.ok(site.asked.includes(`/${ENGINE}/cfour.book`));
  assert.deepEqual(errors, []);
  await context.close();
  await site.close();
});

test('without the network the page and the engine load again', { timeout: 60_000 }, async () => {
  const site = await serveSite(EXTRA);
  const { context, page } = await open(site);
  await becomeOffline(page);
  // The engine is kept because it was fetched.
  await ask(page, { id: 'a', variant: 'tictactoe' });
  await site.close();
  await page.reload();
  assert.match(await page.title(), /Tengen/);
  assert.ok(await page.locator('#board').count());
  assert.equal(await page.evaluate((name) => fetch(name, { method: 'HEAD' }).then((reply) => reply.status), `${ENGINE}/tengen_wasm.js`), 200);
  const answer = await ask(page, { id: 'b', variant: 'renju', moves: 'h8', nodes: 5000 });
  assert.equal(answer.type, 'answer');
  // The book was never fetched: the search goes on without it.
  assert.equal((await ask(page, { id: 'c', moves: 'd1 d2 d3 d4 d5', nodes: 5000 })).type, 'answer');
  await context.close();
});

test('without the network a repertoire is made and learned', { timeout: 60_000 }, async () => {
  const site = await serveSite(EXTRA);
  const { context, page, errors } = await open(site);
  await becomeOffline(page);
  await site.close();
  await page.reload();
  await page.locator('[data-act=more]:visible').first().click();
  await page.locator('dialog [data-more=repertoire]').click();
  const buffer = Buffer.from('(;SZ[3]RU[tictactoe];B[bb];W[ac];B[cc])');
  await page.locator('#repertoirefile').setInputFiles({ name: 'tree.sgf', mimeType: 'text/plain', buffer });
  await page.locator('[data-repertoire]').click();
  await page.locator('#mistaketext', { hasText: 'X to move' }).waitFor();
  const board = new Board(context, page, site.url);
  // The engine judges a move that is not in the tree.
  await board.clickWhenFree('a2');
  await page.locator('#mistaketext', { hasText: 'A2 is not in your repertoire' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a new version of the site replaces the old files when no page of the old one is open', { timeout: 60_000 }, async () => {
  const site = await serveSite(EXTRA);
  const { context, page } = await open(site);
  await becomeOffline(page);
  const caches = (of) => of.evaluate(() => caches.keys());
  const [old] = await caches(page);
  assert.match(old, /^tengen-[0-9a-f]{16}$/);
  const script = await page.evaluate(() => fetch('offline.js').then((reply) => reply.text()));
  await site.close();
  const next = await serveSite({ ...EXTRA, '/offline.js': script.replace(old.slice(7), '0123456789abcdef') }, Number(new URL(site.url).port));
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    const { installing } = registration;
    if (installing) await new Promise((resolve) => installing.addEventListener('statechange', resolve, { once: true }));
  });
  assert.deepEqual((await caches(page)).sort(), ['tengen-0123456789abcdef', old].sort());
  await page.close();
  // The browser starts the new version a little after the last page of the old one was closed.
  for (let names = []; names.join() !== 'tengen-0123456789abcdef';) {
    const later = await context.newPage();
    await later.goto(next.url);
    names = await caches(later);
    await later.close();
  }
  await context.close();
  await next.close();
});

test('a new version of the site is offered, and starts when the user wishes it', { timeout: 60_000 }, async () => {
  const site = await serveSite(EXTRA);
  const { context, page } = await open(site);
  await becomeOffline(page);
  const other = await context.newPage();
  await other.goto(site.url);
  // Chromium starts a new version immediately only if the old one answers no request. The first input loads modules.
  for (const one of [page, other]) {
    await one.mouse.move(1, 1);
    await one.waitForLoadState('networkidle');
  }
  const [old] = await page.evaluate(() => caches.keys());
  const script = await page.evaluate(() => fetch('offline.js').then((reply) => reply.text()));
  await site.close();
  const next = await serveSite({ ...EXTRA, '/offline.js': script.replace(old.slice(7), '0123456789abcdef') }, Number(new URL(site.url).port));
  await page.evaluate(() => navigator.serviceWorker.getRegistration().then((registration) => registration.update()));
  for (const one of [page, other]) await one.locator('#banner', { hasText: 'Reload for the new version' }).waitFor();
  await Promise.all([page.waitForEvent('load'), other.waitForEvent('load'), page.locator('#trynow').click()]);
  for (const one of [page, other]) {
    await one.waitForFunction(async () => (await caches.keys()).join() === 'tengen-0123456789abcdef');
    await one.locator('[role=gridcell]').first().waitFor();
    assert.ok(await one.locator('#banner').isHidden());
  }
  await context.close();
  await next.close();
});

test('an update that breaks in the middle leaves the old version whole, also without the network', { timeout: 60_000 }, async () => {
  const site = await serveSite(EXTRA);
  const { context, page } = await open(site);
  await becomeOffline(page);
  const files = (of) => of.evaluate(async () => {
    const names = await caches.keys();
    const counts = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length));
    return names.map((name, n) => [name, counts[n]]).filter(([, count]) => count);
  });
  const script = await page.evaluate(() => fetch('offline.js').then((reply) => reply.text()));
  const before = await files(page);
  await site.close();
  const broken = await serveSite({ ...EXTRA, '/offline.js': script.replace(before[0][0].slice(7), '0123456789abcdef'), '/js/board/view.js': null }, Number(new URL(site.url).port));
  const state = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    const worker = registration.installing;
    if (worker?.state === 'installing') await new Promise((resolve) => worker.addEventListener('statechange', resolve, { once: true }));
    return worker?.state;
  });
  assert.equal(state, 'redundant');
  assert.ok(broken.asked.includes('/js/board/view.js'));
  await broken.close();
  await page.close();
  const later = await context.newPage();
  await later.goto(site.url);
  await later.locator('[role=gridcell]').first().waitFor();
  assert.deepEqual(await files(later), before);
  const board = new Board(context, later, site.url);
  await board.click('h8');
  await board.waitForStones(2);
  await context.close();
});

test('the site can be installed', { timeout: 60_000 }, async () => {
  const site = await serveSite(EXTRA);
  const { context, page } = await open(site);
  await becomeOffline(page);
  const session = await context.newCDPSession(page);
  const { errors, data } = await session.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  const { icons, name } = JSON.parse(data);
  assert.equal(name, 'Tengen');
  for (const { src, sizes, type } of icons.filter((icon) => icon.type === 'image/png')) {
    const size = await page.evaluate(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, src);
    assert.equal(size, sizes, `${src} ${type}`);
  }
  await context.close();
  await site.close();
});
