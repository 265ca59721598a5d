// A slow network and one that ends in the middle: the board is there first, and what did not come is told and can be tried again.
import assert from 'node:assert/strict';
import { Board } from '../lib/board.mjs';
import { scenario } from '../lib/scenario.mjs';
import { serveSite } from '../lib/site.mjs';

/** 400 kbit/s, and 400 ms for each request. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const OFFLINE = { ...SLOW, offline: true };
const FAST = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };

/** Whether the page has made a mark of its start. @param {Board} board @param {string} name */
const marked = (board, name) => board.page.evaluate((mark) => performance.getEntriesByName(mark).length > 0, name);

/** Loads the page again by a slow network, until its first view is there. @param {Board} board */
async function loadSlowly({ page }) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const change = (conditions) => session.send('Network.emulateNetworkConditions', conditions);
  await change(SLOW);
  await page.reload({ waitUntil: 'commit' });
  await page.locator('[role=gridcell]').first().waitFor();
  return change;
}

const started = (board) => board.until(() => performance.getEntriesByName('tengen.started').length > 0);

for (const where of ['a server', 'a site']) {
  scenario(`slow network, ${where}: the board is there first, and a click made while parts load is a move`, async (board, { browser }) => {
    const site = where === 'a site' ? await serveSite() : null;
    const own = site ? await Board.open(browser, site.url, { connects: false }) : board;
    // A part that no move needs comes last.
    let release = () => {};
    const held = new Promise((resolve) => { release = resolve; });
    await own.page.route('**/board/loupe.js', async (route) => { await held; await route.continue(); });
    await loadSlowly(own);
    await started(own);
    await own.click('h8');
    await own.waitForGameStart(['h8 black']);
    assert.equal(await marked(own, 'tengen.complete'), false);
    release();
    await own.until(() => document.querySelectorAll('.l-stones > .stone').length === 2);
    if (!site) return;
    await own.close();
    site.close();
  });
}

scenario('the network ends while parts load: a word, and the game goes on when it is back', async (board) => {
  const { page } = board;
  const change = await loadSlowly(board);
  await started(board);
  await change(OFFLINE);
  await board.click('h8');
  await board.waitForStatus(/did not send a part of the page/);
  assert.deepEqual(await board.stones(), []);
  await change(FAST);
  await board.reloadBy(() => page.locator('#choices button', { hasText: 'Try again' }).click());
  await board.connected();
  await started(board);
  await board.clickWhenFree('h8');
  await board.waitForGameStart(['h8 black']);
  board.errors.length = 0;
});

scenario('the network ends after the first view: a file that the page loads later is no error', async (board) => {
  const { page } = board;
  for (const file of ['app/launch.js', 'board/frames.js']) await page.route(`**/js/${file}`, (route) => route.abort());
  const refused = (/** @type {string} */ file) => page.waitForEvent('requestfailed', (request) => request.url().endsWith(file));
  await Promise.all([refused('app/launch.js'), board.reloadBy(() => page.reload())]);
  await board.connected();
  await board.nextFrame();
  // The browser itself tells of each file.
  assert.deepEqual(board.errors.filter((text) => !text.includes('net::ERR_FAILED')), []);
  await board.clickWhenFree('h8');
  await board.waitForGameStart(['h8 black']);
  board.errors.length = 0;
});

scenario('the network ends before the first view: the page says it, and a button loads the page again', async (board) => {
  const { page } = board;
  await page.route('**/lang/en.json', (route) => route.abort());
  await page.reload();
  await board.waitForStatus(/A part of the page did not load/);
  await page.unroute('**/lang/en.json');
  await board.reloadBy(() => page.locator('#choices button', { hasText: 'Reload' }).click());
  await board.connected();
  await board.waitForStatus(/Play anywhere/);
  board.errors.length = 0;
});

scenario('site: an engine whose load breaks off twice is told once, and is loaded again; the move made meanwhile is answered', async (_, { browser }) => {
  /** The replies that send only the half of the engine. */
  const halves = [];
  const site = await serveSite((path, response) => {
    if (!path.endsWith('.wasm') || halves.length === 2) return false;
    response.writeHead(200, { 'content-type': 'application/wasm', 'content-length': 1000 }).write('x'.repeat(500));
    halves.push(response);
    return true;
  });
  const board = await Board.open(browser, site.url, { connects: false });
  const { page } = board;
  await page.locator('#connection', { hasText: 'Engine in this browser' }).waitFor();
  await page.evaluate(() => {
    globalThis.alerts = [];
    new MutationObserver((changes) => globalThis.alerts.push(...changes.flatMap((change) => [...change.addedNodes].map((node) => node.textContent)))).observe(document.getElementById('alert'), { childList: true });
  });
  await board.clickWhenFree('h8');
  for (const half of [0, 1]) {
    await board.waitForStatus(/The engine is loading: 50 %/);
    assert.equal(halves.length, half + 1);
    assert.deepEqual(await board.stones(), ['h8 black']);
    halves[half].destroy();
    await page.locator('#bannertext', { hasText: /The engine did not load \(.+\)\. The page tries again\./ }).waitFor();
  }
  assert.deepEqual(await board.waitForStones(2), ['h8 black', 'a1 white']);
  await page.locator('#banner').waitFor({ state: 'hidden' });
  const alerts = await page.evaluate(() => globalThis.alerts);
  assert.equal(alerts.length, 1, alerts.join(' / '));
  await board.close();
  site.close();
});

scenario('site: without the module of the engine the page says so, and Try now loads the page again', async (_, { browser }) => {
  let isBroken = true;
  const site = await serveSite((path, response) => {
    if (!isBroken || !path.endsWith('/worker-port.js')) return false;
    response.destroy();
    return true;
  });
  const board = await Board.open(browser, site.url, { connects: false });
  await board.page.locator('#bannertext', { hasText: /The engine did not load \(.+\)/ }).waitFor();
  isBroken = false;
  await board.reloadBy(() => board.page.locator('#trynow').click());
  await board.page.locator('#connection', { hasText: 'Engine in this browser' }).waitFor();
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  await board.close();
  site.close();
});

scenario('a click while the page loads slowly shows a message, and then its stone', async (board) => {
  const { page } = board;
  let release = () => {};
  const held = new Promise((resolve) => { release = resolve; });
  await page.route('**/js/app/play.js', async (route) => { await held; await route.continue(); });
  await page.reload();
  await started(board);
  await board.click('h8');
  await board.waitForStatus(/The page is still loading/);
  release();
  await board.waitForGameStart(['h8 black']);
  await board.until(() => !/loading/.test(document.getElementById('status')?.textContent ?? ''));
});
