// The explorer: a server with a shelf, its moves, comments and games. The program needs the feature shelf.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM, startServer } from '../lib/server.mjs';
import { scenario } from '../lib/scenario.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const hasShelf = !process.env.TENGEN_SITE && spawnSync(PROGRAM, ['shelf', '--help']).status === 0;
const skip = !hasShelf && 'skipped: the feature shelf of the program is absent';

const GAMES = `
(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Olga]EV[Open]DT[2020-05]RE[B+];B[hh];W[ig];B[hi];W[hj])
(;GM[4]SZ[15]RU[renju]PB[Ben]PW[Anna]DT[2021]RE[W+];B[hh];W[gi]C[The teacher: <b>strong</b>](;B[hf];W[ii]C[a trap])(;B[ii]LB[jj:A]))
(;GM[4]SZ[15]RU[renju]PB[Ben]PW[Cleo]DT[2019]RE[0];B[hh];W[hg];B[ii])`;

/** Starts a server with a shelf of these games, and opens the board there. @param {import('../lib/board.mjs').Board} board @param {(board: any) => Promise<void>} run */
async function withShelf(board, run) {
  const folder = mkdtempSync(join(tmpdir(), 'tengen-explorer-'));
  const [games, shelf] = ['games.sgf', 'my.shelf'].map((name) => join(folder, name));
  writeFileSync(games, GAMES);
  execFileSync(PROGRAM, ['shelf', 'import', games, '--shelf', shelf]);
  const server = await startServer({ options: ['--shelf', shelf, '--workers', '1', '--hash', '16'] });
  try {
    await board.page.goto(`${server.url}#v=renju&s=15&m=h8i9`);
    await board.connected();
    await run(board);
  } finally {
    await board.page.goto('about:blank');
    await server.kill();
    rmSync(folder, { recursive: true });
  }
}

const EXPLORER = '#explorercard';

/** Opens the explorer by the dialog More. */
async function open({ page }) {
  await page.locator('[data-act=more]:visible').first().click();
  await page.locator('dialog [data-more=explorer]').click();
  await page.locator(`${EXPLORER} table`).waitFor();
}

scenario('the explorer shows moves, results, comments and games, follows the position, and opens a game', (board) => withShelf(board, async ({ page }) => {
  await board.until(() => performance.getEntriesByName('tengen.complete').length > 0);
  assert.deepEqual(board.requests.filter((url) => /explorer/.test(url)), [], 'nothing is loaded before');
  await open(board);
  const explorer = page.locator(EXPLORER);
  // The two games went to images of this position.
  await explorer.locator('p', { hasText: '2 games · 1 won, 0 drawn, 1 lost' }).waitFor();
  await explorer.locator('.said', { hasText: 'The teacher: <b>strong</b>' }).waitFor();
  assert.match(await explorer.ariaSnapshot(), /table "Moves in this position"/);
  assert.equal(await explorer.getByRole('img', { name: '1 won, 0 drawn, 0 lost' }).count(), 1);
  assert.equal(await explorer.locator('.shelfgames li').first().textContent(), 'Ben – Anna, 0-1, 2021');
  // A move of the table is played, and the explorer follows.
  await explorer.locator('tbody tr').filter({ hasText: '2020' }).locator('button').focus();
  await page.keyboard.press('Enter');
  await explorer.locator('p', { hasText: '1 game ·' }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'explorercard');
  await page.locator('.nav [data-act=back]').click();
  await explorer.locator('p', { hasText: '2 games ·' }).waitFor();
  await explorer.locator('.shelfgames button').first().click();
  await page.locator('#commenttext', { hasText: 'The teacher: <b>strong</b>' }).waitFor();
  await board.waitForStones(2);
  await page.locator('#choices button').first().click();
  await explorer.locator('p', { hasText: '2 games ·' }).waitFor();
}), { skip });

for (const [kind, options] of Object.entries({ wide: {}, phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } })) {
  scenario(`axe finds nothing in the explorer, and it fits: ${kind}`, (board) => withShelf(board, async ({ page }) => {
    await open(board);
    await page.addScriptTag({ path: AXE });
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme });
      const found = await page.evaluate(async () => {
        const { violations } = await globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target)}`);
      });
      assert.deepEqual(found, [], colorScheme);
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    const box = await page.locator(`${EXPLORER} table`).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= page.viewportSize().width, JSON.stringify(box));
  }), { skip, bypassCSP: true, ...options });
}

scenario('a server without a shelf has no explorer', async ({ page }) => {
  await page.locator('[data-act=more]:visible').first().click();
  await page.locator('dialog [data-more=keys]').waitFor();
  assert.equal(await page.locator('dialog [data-more=explorer]').count(), 0);
});
