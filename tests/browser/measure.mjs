// Measures what depends on the machine: the first load on a slow computer and by a slow network, frames under a flood of
// replies, memory after 1,000 moves, long tasks of the page of a run with 1,000 games. It prints figures and has no
// limits. Run it by `npm run measure` on an idle machine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Board, launch } from './lib/board.mjs';
import { lengthen, play, startPage } from './lib/run.mjs';
import { startServer } from './lib/server.mjs';

const [browser, server] = await Promise.all([launch(), startServer()]);

const LOADS = 7;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** A slow computer with a network of 10 Mbit/s, and a network of 400 kbit/s. */
const SLOW_COMPUTER = { latency: 20, bytes: 1_250_000, rate: 4 };
const SLOW_NETWORK = { latency: 400, bytes: 50_000, rate: 1 };

/** Times of the first paint and of a usable board without a cache. @param {typeof SLOW_NETWORK} conditions */
async function firstLoad(conditions) {
  const loads = [];
  // The first load is slower, because the browser loads its own parts too. It is not counted.
  for (let n = 0; n <= LOADS; n++) loads.push(await load(conditions));
  const figures = loads.slice(1);
  const all = (key) => figures.map((load) => load[key]);
  return { first_paint_ms: median(all('paint')), usable_ms: median(all('usable')), layout_shift: Math.max(...all('shift')), all_first_paints: all('paint'), all_usable: all('usable') };
}

async function load({ latency, bytes, rate }) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.emulateNetworkConditions', { offline: false, latency, downloadThroughput: bytes, uploadThroughput: bytes });
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  await page.addInitScript(() => {
    globalThis.figures = { shift: 0 };
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) globalThis.figures.shift += entry.value; }).observe({ type: 'layout-shift', buffered: true });
    const observer = new MutationObserver(() => {
      if (!document.querySelector('#connection[data-state=open]') || document.querySelectorAll('[role=gridcell][aria-label]').length < 225) return;
      globalThis.figures.usable = performance.now();
      observer.disconnect();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
  });
  await page.goto(server.url);
  await page.waitForFunction(() => globalThis.figures.usable !== undefined && performance.getEntriesByName('first-contentful-paint').length > 0);
  const { paint, usable, shift } = await page.evaluate(() => ({ paint: performance.getEntriesByName('first-contentful-paint')[0].startTime, ...globalThis.figures }));
  await context.close();
  return { paint: Math.round(paint), usable: Math.round(usable), shift: Math.round(shift * 10_000) / 10_000 };
}

/** Frame times while 100 reports a second arrive in an analysis. */
async function flood() {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const real = socket.connectToServer();
    socket.onMessage((text) => {
      const query = JSON.parse(String(text));
      if (!query.infinite) return real.send(text);
      let depth = 0;
      const moves = Array.from({ length: 6 }, (_, n) => ({ rank: n + 1, move: 'abcdef'[n] + '3', bound: 'exact', wdl: [600 - 40 * n, 0, 400 + 40 * n], pv: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((c, m) => c + ((n + m) % 15 + 1)) }));
      const timer = setInterval(() => {
        depth++;
        socket.send(JSON.stringify({ type: 'report', id: query.id, turn_number: 0, depth, nodes: depth * 1000, nps: 1e6, time_ms: depth * 10, moves: moves.map((line) => ({ ...line, score: { cp: 100 + depth - 50 * line.rank } })) }));
      }, 10);
      setTimeout(() => clearInterval(timer), 5000);
    });
    real.onMessage((text) => socket.send(text));
  });
  await page.goto(`${server.url}#v=renju&s=15&m=h8i9`);
  await page.locator('#connection[data-state=open]').waitFor();
  await page.locator('header [data-mode=analyse]').click();
  await page.locator('.lines tbody tr:nth-child(6)').waitFor();
  const figures = await page.evaluate(() => new Promise((done) => {
    const gaps = [];
    let before = performance.now();
    const look = (now) => {
      gaps.push(now - before);
      before = now;
      if (gaps.length < 200) requestAnimationFrame(look);
      else done({ frames: gaps.length, longest_ms: Math.round(Math.max(...gaps.slice(2))), over_32_ms: gaps.slice(2).filter((gap) => gap > 32).length });
    };
    requestAnimationFrame(look);
  }));
  await context.close();
  return figures;
}

/** Memory of the page with 1,000 moves in one tree. */
async function memory() {
  const board = await Board.open(browser, server.url);
  const { page } = board;
  const point = (n, i) => String.fromCharCode(97 + ((n + i) % 20), 97 + ((Math.floor(i / 20) + n) % 20));
  const lines = Array.from({ length: 20 }, (_, n) => Array.from({ length: 50 }, (_, i) => `;${i % 2 ? 'W' : 'B'}[${point(n, i)}]`).join(''));
  await page.locator('header [data-act=share]').click();
  await page.locator('#import').fill(`(;GM[4]SZ[20]RU[freestyle]${lines.map((line) => `(${line})`).join('')})`);
  await page.locator('[data-load]').click();
  await page.locator('.mv').nth(999).waitFor({ state: 'attached' });
  const session = await board.context.newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const moves = await page.locator('.mv').count();
  await board.close();
  return { moves, heap_mb: Math.round(usedSize / 1e5) / 10 };
}

/** Long tasks while the page of a run lists 1,000 games and shows one. */
async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'tengen-run-'));
  play(folder);
  lengthen(folder, 1000);
  const { url, end } = await startPage(folder, ['show', 'run', '-page', '127.0.0.1:0']);
  const page = await browser.newPage();
  await page.addInitScript(() => {
    globalThis.long = [];
    new PerformanceObserver((list) => globalThis.long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
  });
  await page.goto(url);
  for (let count = 100; count <= 1000; count += 100) {
    await page.locator(`#finished tr:has(a[href="#game-${1001 - count}"])`).waitFor({ state: 'attached' });
    if (count < 1000) await page.locator('#more').click();
  }
  await page.locator('a[href="#game-500"]').click();
  await page.locator('#replayboard .l-stones > .stone').first().waitFor();
  const long = await page.evaluate(() => globalThis.long);
  await page.close();
  end();
  rmSync(folder, { recursive: true });
  return { games: 1000, long_tasks: long.length, longest_ms: Math.max(0, ...long) };
}

for (const [name, measured] of Object.entries({ slowComputer: () => firstLoad(SLOW_COMPUTER), slowNetwork: () => firstLoad(SLOW_NETWORK), flood, memory, run })) console.log(name, JSON.stringify(await measured()));
await browser.close();
await server.kill();
