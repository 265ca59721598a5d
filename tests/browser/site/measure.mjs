// Measures the site beside `tengen serve`, and its engine in Chromium and Firefox beside the native program: the first paint, the time
// to the first move, nodes a second, and memory after five minutes of analysis. It prints figures and has no limits. TENGEN_SITE=FOLDER node site/measure.mjs [MINUTES]
import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { launch } from '../lib/board.mjs';
import { startFirefox } from '../lib/firefox.mjs';
import { startServer } from '../lib/server.mjs';
import { ENGINE, serveSite } from './site.mjs';

const PROGRAM = process.env.TENGEN ?? fileURLToPath(new URL('../../../target/debug/tengen', import.meta.url));
const MINUTES = Number(process.argv[2] ?? 5);
const ROUNDS = 3;
const NODES = 300_000;
const PAINTS = 9;
const WORKER = `import init, { Engine } from './${ENGINE}/tengen_wasm.js';
const ready = init().then(() => new Engine((line) => postMessage(line), 64));
onmessage = ({ data }) => ready.then((engine) => engine.line(data));
`;
const GAMES = [
  { variant: 'gomoku', moves: 'h8 i9 h9 h7' },
  { variant: 'renju', moves: 'h8 i9 i8 g8 j10' },
  { variant: 'cfour', moves: 'd1 d2 d3 d4 e1', book: false },
  { variant: 'custom', board: { width: 9, height: 9, connect: 5, gravity: false }, moves: 'e5 d4' },
];
const QUERIES = GAMES.map((game, index) => ({ id: `q${index}`, ...game, nodes: NODES, fresh: true }));
const site = await serveSite({ '/probe.html': '<!doctype html><title>probe</title>', '/probe-worker.js': WORKER });

/** The script of the measurements in the page. */
const PROBE = `(() => {
  globalThis.start = () => new Worker('probe-worker.js', { type: 'module' });
  globalThis.ask = (worker, query, reports = false) => new Promise((done) => {
    worker.onmessage = ({ data }) => {
      const reply = JSON.parse(data);
      if (reports || reply.type !== 'report') done(reply);
    };
    worker.postMessage(JSON.stringify(query));
  });
  // A level as a beginner plays: what counts is the start of the engine.
  globalThis.firstMove = async () => {
    const begin = performance.now();
    const worker = start();
    await ask(worker, { id: 'first', variant: 'renju', moves: 'h8', nodes: 1000 });
    worker.terminate();
    return Math.round(performance.now() - begin);
  };
  globalThis.speeds = async (queries) => {
    globalThis.kept ??= start();
    const found = [];
    for (const query of queries) found.push((await ask(kept, query)).nps);
    return found;
  };
  globalThis.analyse = () => { globalThis.kept.postMessage(JSON.stringify({ id: 'endless', variant: 'gomoku', moves: 'h8 i9', infinite: true, multi_pv: 3, report_every_ms: 100 })); return 0; };
  return 0;
})()`;

async function chromium() {
  const browser = await launch();
  const page = await browser.newPage();
  await page.goto(`${site.url}probe.html`);
  const { pid } = await browser.newBrowserCDPSession().then((session) => session.send('SystemInfo.getProcessInfo')).then(({ processInfo }) => ({ pid: processInfo.find(({ type }) => type === 'browser').id }));
  return { name: 'Chromium', value: (expression) => page.evaluate(expression), pid, close: () => browser.close() };
}

async function firefox() {
  const driver = await startFirefox();
  await driver.open(`${site.url}probe.html`);
  return { name: 'Firefox', value: (expression) => driver.value(expression), pid: driver.pid, close: () => driver.close() };
}

/** Returns the nodes a second of the native program for each query. */
async function native() {
  const child = spawn(PROGRAM, ['--dialect', 'json', '--workers', '1', '--hash', '64'], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(QUERIES.map((query) => `${JSON.stringify(query)}\n`).join(''));
  const speeds = new Map();
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, nps } = JSON.parse(line);
    speeds.set(id, nps);
  }
  return QUERIES.map(({ id }) => speeds.get(id));
}

/** The resident memory of a process and its children, in MiB, each page counted once (PSS). */
async function memory(pid) {
  const children = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))[1]);
      children.set(parent, [...children.get(parent) ?? [], Number(name)]);
    } catch { /* The process has ended. */ }
  }
  const all = [pid];
  for (let index = 0; index < all.length; index++) all.push(...children.get(all[index]) ?? []);
  const pss = (one) => {
    try { return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))?.[1] ?? 0); } catch { return 0; }
  };
  return Math.round(all.map(pss).reduce((sum, one) => sum + one, 0) / 1024);
}

/** Returns the first paints of the board in new profiles of Chromium, in ms: of the site, and of `tengen serve`, in turn. */
async function firstPaints() {
  const [browser, server] = await Promise.all([launch(), startServer()]);
  const paints = { site: [], server: [] };
  for (let n = 0; n < PAINTS; n++) {
    for (const [name, url] of [['site', site.url], ['server', server.url]]) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(url);
      await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
      paints[name].push(Math.round(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime)));
      await context.close();
    }
  }
  await Promise.all([browser.close(), server.kill()]);
  return { site: median(paints.site), server: median(paints.server), all: paints };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const medians = (rows) => QUERIES.map((_, index) => median(rows.map((row) => row[index])));

console.log(JSON.stringify({ first_paint_ms: await firstPaints() }));
const [{ stdout: version }, browsers] = await Promise.all([promisify(execFile)(PROGRAM, ['--version']), Promise.all([chromium(), firefox()])]);
for (const browser of browsers) await browser.value(PROBE);
const figures = { version: version.trim(), nodes: NODES, native: [], browsers: {} };
for (const { name } of browsers) figures.browsers[name] = { first_move_ms: [], speeds: [] };
// One run of each in turn, so that other work on the machine meets all alike.
for (let round = 0; round < ROUNDS; round++) {
  figures.native.push(await native());
  for (const browser of browsers) {
    figures.browsers[browser.name].first_move_ms.push(await browser.value('firstMove()'));
    figures.browsers[browser.name].speeds.push(await browser.value(`speeds(${JSON.stringify(QUERIES)})`));
  }
}
const own = medians(figures.native);
console.log(JSON.stringify({ games: GAMES.map(({ variant }) => variant), native_nps: own }));
for (const browser of browsers) {
  const { first_move_ms, speeds } = figures.browsers[browser.name];
  const nps = medians(speeds);
  const ratio = nps.map((value, index) => Math.round(100 * value / own[index]) / 100);
  const before = await memory(browser.pid);
  await browser.value('analyse()');
  await new Promise((done) => setTimeout(done, MINUTES * 60_000));
  console.log(JSON.stringify({ browser: browser.name, first_move_ms, nps, ratio, memory_mib: { before, after: await memory(browser.pid), minutes: MINUTES } }));
  await browser.close();
}
await site.close();
