// The explorer: a server with a shelf, its moves, comments and games.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { EXPLORER, open, skip, withShelf } from '../lib/shelf.mjs';
import { scenario } from '../lib/scenario.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

scenario('the explorer shows moves, results, comments and games, follows the position, and opens a game', (board) => withShelf(board, async ({ page }) => {
  await board.until(() => performance.getEntriesByName('tengen.complete').length > 0);
  assert.deepEqual(board.requests.filter((url) => /explorer/.test(url)), [], 'nothing is loaded before');
  await open(board);
  const explorer = page.locator(EXPLORER);
  // The two games went to images of this position.
  await explorer.locator('p', { hasText: '2 games · 1 won, 0 drawn, 1 lost' }).waitFor();
  await explorer.locator('.said', { hasText: 'The teacher: <b>strong</b>' }).waitFor();
  assert.match(await explorer.ariaSnapshot(), /table "Moves in this position"/);
  await board.until(() => [...document.querySelectorAll('#board .treemark text')].map((mark) => mark.textContent).sort().join() === '+,1,1');
  assert.equal((await board.labels()).filter((label) => /empty, .*1 game/.test(label)).length, 2);
  assert.equal(await explorer.getByRole('img', { name: '1 won, 0 drawn, 0 lost' }).count(), 1);
  // The styles of the review do not reach the bar, whichever panel was open before.
  await board.mode('review');
  await board.mode('analyse');
  await explorer.locator('p', { hasText: '2 games ·' }).waitFor();
  const parts = await explorer.getByRole('img', { name: '1 won, 0 drawn, 0 lost' }).locator('span').evaluateAll((spans) => spans.map((span) => [span.getBoundingClientRect().width, getComputedStyle(span).backgroundColor]));
  const bar = await explorer.getByRole('img', { name: '1 won, 0 drawn, 0 lost' }).boundingBox();
  assert.ok(parts[0][0] > 0.9 * bar.width && parts[1][0] === 0 && parts[2][0] === 0, `${JSON.stringify(parts)} of ${bar.width}`);
  assert.notEqual(parts[0][1], 'rgba(0, 0, 0, 0)');
  await board.mode('play');
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

for (const mode of ['play', 'analyse', 'review']) {
  scenario(`on a phone the command opens the explorer where the user sees it: ${mode}`, (board) => withShelf(board, async ({ page }) => {
    if (mode !== 'play') {
      await board.mode(mode);
      await page.locator('#tab-analysis[aria-selected=true]').waitFor();
    }
    await open(board);
    await board.until(() => {
      const card = document.querySelector('#explorercard');
      const { top, bottom } = card.getBoundingClientRect();
      // Above the buttons at the bottom of the screen.
      const seen = Math.min(bottom, document.querySelector('#bottom').getBoundingClientRect().top) - top;
      return document.activeElement === card && top >= 0 && seen > 100;
    });
    assert.equal(await page.locator('.tabs:visible [aria-selected=true]').count(), mode === 'play' ? 0 : 1);
  }), { skip, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
}

scenario('with the explorer at 1366x768 the moves and the buttons stay on the screen', (board) => withShelf(board, async ({ page }) => {
  await open(board);
  const bottoms = await page.evaluate(() => ['#moves', '.actions [data-act=undo]', '.actions [data-act=hint]'].map((name) => document.querySelector(name).getBoundingClientRect().bottom));
  assert.ok(bottoms.every((bottom) => bottom > 0 && bottom <= 768), String(bottoms));
  assert.ok((await page.locator('#moves').boundingBox()).height >= 150);
}), { skip, viewport: { width: 1366, height: 768 } });

scenario('a server without a shelf has no explorer', async ({ page }) => {
  await page.locator('[data-act=more]:visible').first().click();
  await page.locator('dialog [data-more=keys]').waitFor();
  assert.equal(await page.locator('dialog [data-more=explorer]').count(), 0);
});
