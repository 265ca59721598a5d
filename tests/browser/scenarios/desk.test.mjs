// The desk: a server with `--edit`, whose shelf the page changes: headers, comments, labels, trees, undo.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { Board } from '../lib/board.mjs';
import { PROGRAM } from '../lib/server.mjs';
import { EXPLORER, open, skip, withShelf } from '../lib/shelf.mjs';
import { scenario } from '../lib/scenario.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** Runs a scenario with a server whose shelf can be changed. */
const withDesk = (board, run) => withShelf(board, run, ['--edit']);
const desk = (page, name) => page.locator(`${EXPLORER} [data-desk=${name}]`);
/** Waits until the panel says what was done. */
const says = (page, text) => page.locator(`${EXPLORER} [data-desk=said]`, { hasText: text }).waitFor();
const said = (page, text) => page.locator(`${EXPLORER} .said`, { hasText: text });

/** Opens the explorer with the desk. */
async function openDesk(board) {
  await open(board);
  await desk(board.page, 'comment').waitFor();
}

/** Fills the fields of the form that is open, and sends it by the keyboard. */
async function fill(page, fields) {
  await page.locator('dialog form').waitFor();
  for (const [name, text] of Object.entries(fields)) await page.locator(`dialog #desk${name}`).fill(text);
  await page.locator('dialog [type=submit]').focus();
  await page.keyboard.press('Enter');
}

scenario('the desk writes comments, labels and trees, corrects a game, undoes each change, and a new page shows them', (board) => withDesk(board, async ({ page }, { url, shelf }) => {
  await openDesk(board);
  const marks = () => page.evaluate(() => [...document.querySelectorAll('#board .treemark text')].map((mark) => mark.textContent).sort().join());
  assert.equal(await marks(), '+,1,1');
  // A comment, with its author.
  await desk(page, 'comment').click();
  await fill(page, { text: 'A solid <i>answer</i>', author: 'Dora', label: 'S' });
  await says(page, 'Saved in the shelf');
  await said(page, 'S · A solid <i>answer</i>').locator('small', { hasText: 'Dora, 20' }).waitFor();
  // A move on the board, added to the tree, with a text on its point.
  await board.mode('analyse');
  await board.clickWhenFree('j10');
  await desk(page, 'add').click();
  await says(page, 'Saved in the shelf');
  await desk(page, 'label').click();
  await fill(page, { label: 'K' });
  await page.locator('dialog').waitFor({ state: 'detached' });
  await says(page, 'Saved in the shelf');
  await page.locator('.nav [data-act=back]').click();
  await board.until(() => [...document.querySelectorAll('#board .treemark text')].some((mark) => mark.textContent === 'K'));
  // Headers of a game.
  await page.locator(`${EXPLORER} [data-game]`).first().click();
  await fill(page, { first: 'Ben B.', date: '5.6.2019' });
  await page.locator(`${EXPLORER} .shelfgames button`, { hasText: 'Ben B. – Anna, 0-1, 2019-06-05' }).waitFor();
  // What cannot be read is refused, and the form stays.
  await page.locator(`${EXPLORER} [data-game]`).first().click();
  await fill(page, { date: 'spring' });
  await page.locator('dialog [role=alert]', { hasText: 'spring' }).waitFor();
  await page.locator('dialog .closing').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  // A new page shows all of it, and the branch is removed there.
  await page.goto('about:blank');
  await page.goto(`${url}#v=renju&s=15&m=h8i9`);
  await board.connected();
  await board.mode('analyse');
  await openDesk(board);
  await said(page, 'A solid').waitFor();
  await page.locator(`${EXPLORER} .shelfgames button`, { hasText: 'Ben B.' }).waitFor();
  const row = page.locator(`${EXPLORER} tbody tr`, { hasText: 'K' }).locator('button');
  await row.click();
  await page.locator(`${EXPLORER} p`, { hasText: '0 games' }).waitFor();
  await desk(page, 'remove').click();
  await says(page, 'Saved in the shelf');
  await desk(page, 'undo').click();
  await says(page, 'Taken back');
  // The undo is taken back itself, and made again.
  await desk(page, 'redo').click();
  await says(page, 'Saved in the shelf');
  assert.equal(await desk(page, 'redo').count(), 0);
  await desk(page, 'undo').click();
  await says(page, 'Taken back');
  await desk(page, 'redo').waitFor();
  // All changes but the import are taken back from the list.
  await page.locator(`${EXPLORER} summary`).click();
  for (let left = 4; left > 0; left--) {
    await board.until((n) => document.querySelectorAll('#explorercard details li').length === n, left + 1);
    await page.locator(`${EXPLORER} [data-undo]`).click();
    await says(page, 'Taken back');
  }
  await page.locator('.nav [data-act=back]').click();
  await page.locator(`${EXPLORER} .shelfgames button`, { hasText: 'Ben – Anna, 0-1, 2021' }).waitFor();
  assert.equal(await said(page, 'A solid').count(), 0);
  assert.match(execFileSync(PROGRAM, ['shelf', 'undo', '--list', '--shelf', shelf], { encoding: 'utf8' }), /^[^\n]*import[^\n]*\n$/);
}), { skip });

scenario('a second tab is told that the shelf was changed, keeps its text, and sees the change', (board) => withDesk(board, async ({ page }, { url }) => {
  await openDesk(board);
  await desk(page, 'comment').click();
  await fill(page, { text: 'first text' });
  await said(page, 'first text').waitFor();
  const second = new Board(board.context, await board.context.newPage(), board.url);
  await second.page.goto(`${url}#v=renju&s=15&m=h8i9`);
  await second.connected();
  await openDesk(second);
  // Both change the same comment.
  const edit = (tab) => said(tab.page, 'first text').getByRole('button', { name: 'Change the comment' }).click();
  await edit(second);
  await page.bringToFront();
  await edit(board);
  await fill(page, { text: 'text of the first tab' });
  await said(page, 'text of the first tab').waitFor();
  await second.page.bringToFront();
  await fill(second.page, { text: 'text of the second tab' });
  await second.page.locator('dialog [role=alert]', { hasText: 'was changed since' }).waitFor();
  assert.equal(await second.page.locator('dialog #desktext').inputValue(), 'text of the second tab');
  await said(second.page, 'text of the first tab').waitFor();
  // Now that the user knows, the text is saved.
  await fill(second.page, {});
  await said(second.page, 'text of the second tab').waitFor();
  await second.page.close();
  await page.bringToFront();
  await said(page, 'first tab').waitFor();
  await desk(page, 'undo').click();
  await says(page, 'was changed since');
}), { skip });

for (const [kind, options] of Object.entries({ wide: {}, phone: { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true } })) {
  scenario(`axe finds nothing in the desk, and it fits: ${kind}`, (board) => withDesk(board, async ({ page }) => {
    await openDesk(board);
    await page.addScriptTag({ path: AXE });
    const check = async (/** @type {string} */ what) => {
      const found = await page.evaluate(async () => {
        const { violations } = await globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target)}`);
      });
      assert.deepEqual(found, [], what);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, what);
    };
    await check('the panel');
    await page.locator(`${EXPLORER} summary`).click();
    await page.locator(`${EXPLORER} [data-undo]`).waitFor();
    await check('the list of changes');
    await desk(page, 'comment').click();
    await page.locator('dialog form').waitFor();
    await check('the form of a comment');
    await page.locator('dialog .closing').click();
    await page.locator(`${EXPLORER} [data-game]`).first().click();
    await page.locator('dialog #deskfirst').waitFor();
    await check('the form of a game');
  }), { skip, bypassCSP: true, ...options });
}

scenario('without --edit there is no desk, and nothing of it is loaded', (board) => withShelf(board, async ({ page }) => {
  await open(board);
  await page.locator(`${EXPLORER} .said`).waitFor();
  // The answer about the version came before this one.
  await page.locator('.nav [data-act=back]').click();
  await page.locator(`${EXPLORER} p`, { hasText: '3 games' }).waitFor();
  assert.equal(await desk(page, 'comment').count(), 0);
  assert.deepEqual(board.requests.filter((url) => /desk/.test(url)), []);
}), { skip });
