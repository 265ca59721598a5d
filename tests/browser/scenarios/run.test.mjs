// The page of a run of the arena: while it is played, from its folder, and as one file.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENGINES, HOSTILE, lengthen, play, startPage } from '../lib/run.mjs';
import { scenario } from '../lib/scenario.mjs';
import { PROGRAM } from '../lib/server.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Registers a scenario with a folder of its own. @param {string} name @param {(board: import('../lib/board.mjs').Board, folder: string, later: (f: () => void) => void) => Promise<void>} run @param {object} [options] */
function runScenario(name, run, options) {
  scenario(name, async (board) => {
    const folder = mkdtempSync(join(tmpdir(), 'tengen-run-'));
    const ends = [() => rmSync(folder, { recursive: true, force: true })];
    try {
      await run(board, folder, (end) => ends.unshift(end));
    } finally {
      for (const end of ends) end();
    }
  }, options);
}

/** The violations that axe finds, in both themes. @param {import('playwright-core').Page} page */
async function violations(page) {
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.addScriptTag({ path: AXE });
  const all = [];
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme });
    all.push(...await page.evaluate(async () => (await globalThis.axe.run(document, { preload: false })).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(' ')}`)));
  }
  return all;
}

/** How many pixels the page is too wide. @param {import('playwright-core').Page} page */
const tooWide = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

runScenario('run: games that are played now are small boards with clocks and evaluations; finished games follow', async (board, folder, later) => {
  const { page } = board;
  const { url, end } = await startPage(folder, [...ENGINES('tc=4+0.05'), '-variant', 'gomokufreestyle', '-rounds', '20', '-concurrency', '2', '-out', 'run', '-page', '127.0.0.1:0']);
  later(end);
  await page.goto(url);
  const card = page.locator('.run-card').nth(1);
  await card.locator('.l-stones > .stone').nth(5).waitFor();
  await card.locator('.run-chart').waitFor();
  await card.locator('p', { hasText: /[+-]\d+\.\d\d · \d:\d\d|M\d+ · \d:\d\d/ }).first().waitFor();
  assert.deepEqual(await violations(page), []);
  await page.locator('#finished tbody tr').first().waitFor();
  await page.locator('#workers td', { hasText: 'this machine' }).waitFor();
  assert.match(await page.locator('#state').textContent(), /of 40 games/);
  assert.equal(await page.evaluate(() => globalThis.ran), undefined);
}, { bypassCSP: true });

runScenario('run: a thousand games of a folder are listed, and can be stepped through', async (board, folder, later) => {
  const { page } = board;
  play(folder);
  lengthen(folder, 1000);
  const { url, end } = await startPage(folder, ['show', 'run', '-page', '127.0.0.1:0']);
  later(end);
  await page.goto(url);
  const rows = page.locator('#finished tbody tr');
  await rows.nth(99).waitFor();
  for (let count = 200; count <= 1000; count += 100) {
    await page.locator('#more').click();
    await rows.nth(count - 1).waitFor();
  }
  assert.ok(await page.locator('#more').isHidden());
  await page.locator('a[href="#game-500"]').click();
  await page.locator('#replaytitle', { hasText: '500 · ' }).waitFor();
  await page.locator('#replayboard .l-stones > .stone').first().waitFor();
  await page.locator('#replay [data-step="-9999"]').click();
  await page.locator('#status', { hasText: 'move 0 of' }).waitFor();
  await page.locator('#replay [data-step="1"]').press('ArrowRight');
  await page.locator('#status', { hasText: 'move 1 of' }).waitFor();
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('#standings td', { hasText: HOSTILE }).count(), 1);
});

runScenario('run: a page that stays open lists the last thousand games, and older ones at a press', async (board, folder, later) => {
  play(folder);
  const { url, end } = await startPage(folder, ['show', 'run', '-page', '127.0.0.1:0']);
  later(end);
  await board.page.goto(url);
  const rows = board.page.locator('#finished tbody tr');
  await rows.nth(3).waitFor();
  lengthen(folder, 1204);
  await rows.first().filter({ has: board.page.locator('a[href="#game-1204"]') }).waitFor();
  await rows.last().filter({ has: board.page.locator('a[href="#game-205"]') }).waitFor();
  assert.equal(await rows.count(), 1000);
  await board.page.locator('#more').click();
  await rows.last().filter({ has: board.page.locator('a[href="#game-105"]') }).waitFor();
  assert.equal(await rows.count(), 1100);
});

runScenario('run: a journal that becomes empty is one line on the page, and one that is written anew is shown', async (board, folder, later) => {
  play(folder);
  const { url, end } = await startPage(folder, ['show', 'run', '-page', '127.0.0.1:0']);
  later(end);
  await board.page.goto(url);
  await board.page.locator('#finished tbody tr').nth(3).waitFor();
  const journal = join(folder, 'run/journal.jsonl');
  const lines = readFileSync(journal, 'utf8').split('\n');
  writeFileSync(journal, '');
  await board.page.locator('#fault', { hasText: 'the journal is empty' }).waitFor();
  // A purge leaves the records of one worker out.
  const games = lines.filter((line) => line.includes('"kind":"game"'));
  writeFileSync(journal, lines.filter((line) => line !== games[1]).join('\n'));
  await board.page.waitForFunction(() => document.getElementById('fault')?.textContent === '');
  await board.page.waitForFunction(() => document.querySelectorAll('#finished tbody tr').length === 3);
});

for (const width of [320, 390, 1400]) {
  runScenario(`run: a page in one file needs no network and fits into ${width} px`, async (board, folder) => {
    const { page } = board;
    play(folder);
    const written = spawnSync(PROGRAM, ['arena', 'report', 'run', 'page.html'], { cwd: folder, encoding: 'utf8' });
    assert.equal(written.status, 0, written.stderr);
    await page.setViewportSize({ width, height: 800 });
    await board.leaveForRequests();
    await page.goto(`file://${folder}/page.html#game-2`);
    await page.locator('#replaytitle', { hasText: '2 · B – ' }).waitFor();
    await page.locator('#replayboard .l-stones > .stone').nth(4).waitFor();
    await page.locator('#replaycurve .run-chart').waitFor();
    assert.equal(await page.locator('#finished tbody tr').count(), 4);
    assert.equal(await tooWide(page), 0);
    assert.deepEqual(board.requests.filter((address) => !/^(data|file):/.test(address)), []);
    assert.deepEqual(board.requests.filter((address) => address.startsWith('file:')).length, 1);
    assert.equal(await page.evaluate(() => globalThis.ran), undefined);
    await page.goto('about:blank');
  });
}

runScenario('run: axe finds nothing on a page in one file', async (board, folder) => {
  play(folder);
  assert.equal(spawnSync(PROGRAM, ['arena', 'report', 'run', 'page.html'], { cwd: folder }).status, 0);
  await board.page.goto(`file://${folder}/page.html#game-2`);
  await board.page.locator('#replaycurve .run-chart').waitFor();
  assert.deepEqual(await violations(board.page), []);
}, { bypassCSP: true });
