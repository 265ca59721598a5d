// The continuations of a record: letters on the board, a list, other ways to a position.
import assert from 'node:assert/strict';
import { scenario } from '../lib/scenario.mjs';
import { EXPLORER, open as openExplorer, skip, withShelf } from '../lib/shelf.mjs';

/** H9 with two replies, one of one of them labelled, and a label of the record. */
const RECORD = '(;GM[4]SZ[15]RU[freestyle];B[hh]LB[hg:x1](;W[hg];B[ig](;W[aa])(;W[oo]))(;W[ig];B[hg]C[A remark])(;W[gg]))';

/** Opens a record by the dialog of sharing. @param {import('../lib/board.mjs').Board} board @param {string} text */
async function open({ page }, text) {
  await page.locator('header [data-act=share]').click();
  await page.locator('#import').fill(text);
  await page.locator('[data-load]').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
}

const rows = ({ page }) => page.locator('ol.continued li').allTextContents();
/** Waits until the list has these rows. */
const listed = (board, wanted) => board.until((texts) => [...document.querySelectorAll('.continuations:not([hidden]) ol.continued li')].map((row) => row.textContent).join('|') === texts, wanted.join('|'));
const marks = ({ page }) => page.locator('#board .treemark text').allTextContents();

scenario('continuations: letters and a list show what the record plays, in every order of moves and in equal positions', async (board) => {
  const { page } = board;
  await open(board, RECORD);
  // It has no players: a tree begins where it branches first.
  await listed(board, ['x1H92 lines', 'BI92 lines']);
  await page.locator('.nav [data-act=first]').click();
  await listed(board, ['AH84 lines']);
  await page.locator('[data-continuation=h8]').click();
  // I9 and G9 are equal by symmetry, and joined. H9 has the label of the record.
  await listed(board, ['x1H92 lines', 'BI92 lines']);
  // A line under the pointer would be previewed, and a preview has no letters.
  await page.mouse.move(0, 0);
  await board.until(() => [...document.querySelectorAll('#board .treemark text')].map((text) => text.textContent).toSorted().join(' ') === 'B x1');
  assert.ok((await board.labels()).some((label) => /^H9, empty, .*continuation x1, 2 lines/.test(label)), String((await board.labels()).filter((label) => /continuation/.test(label))));
  await page.locator('[data-continuation=h9]').focus();
  await page.keyboard.press('Enter');
  await listed(board, ['AI92 lines']);
  await page.locator('[data-continuation=i9]').click();
  await listed(board, ['AA151 line', 'BO11 line']);
  assert.equal((await board.stones()).length, 3);
  // A mirrored position has the same moves, mirrored.
  await page.locator('.nav [data-act=first]').click();
  for (const [n, move] of ['h8', 'h7', 'i7'].entries()) {
    await board.clickWhenFree(move);
    await board.waitForStones(n + 1);
  }
  await listed(board, ['AA11 line', 'BO151 line']);
  const ways = page.locator('ul.continued li');
  assert.deepEqual(await ways.allTextContents(), ['H8 H9 I9']);
  await ways.locator('button').click();
  await listed(board, ['AA151 line', 'BO11 line']);
  assert.deepEqual(await ways.allTextContents(), ['H8 H7 I7']);
  await board.mode('play');
  assert.equal(await page.locator('.continuations').isVisible(), false);
});

scenario('continuations: a game without variations has none, and a removed variation is gone', async (board) => {
  const { page } = board;
  await open(board, '(;GM[4]SZ[15]RU[freestyle];B[hh];W[hg])');
  await page.locator('.lines tbody tr').first().waitFor();
  assert.equal(await page.locator('.continuations').isVisible(), false);
  await page.locator('.nav [data-act=first]').click();
  await board.clickWhenFree('a1');
  await board.waitForStones(1);
  await page.locator('.nav [data-act=first]').click();
  await listed(board, ['AH81 line', 'BA11 line']);
  await page.mouse.move(0, 0);
  await board.until(() => document.querySelectorAll('#board .treemark').length === 2);
  await page.locator('.mv', { hasText: 'A1' }).click({ button: 'right' });
  await page.locator('.menu button', { hasText: 'Delete from here' }).click();
  await board.until(() => document.querySelector('.continuations')?.checkVisibility() === false);
  assert.deepEqual(await rows(board), await rows(board));
  assert.deepEqual(await marks(board), []);
});

for (const [kind, options] of Object.entries({ 'at 1366x768': { viewport: { width: 1366, height: 768 } }, 'on a phone': { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } })) {
  scenario(`continuations ${kind}: the moves and the buttons stay, and nothing is cut off`, async (board) => {
    const { page } = board;
    const branches = Array.from({ length: 12 }, (_, n) => `(;W[${String.fromCharCode(97 + n)}a];B[ab]C[${'a long remark '.repeat(8)}])`).join('');
    await board.until(() => performance.getEntriesByName('tengen.complete').length > 0);
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData('text/plain', text);
      dispatchEvent(new ClipboardEvent('paste', { clipboardData: data }));
    }, `(;GM[4]SZ[15]RU[freestyle];B[hh]C[${'A long comment of the move. '.repeat(30)}]${branches})`);
    if (kind === 'on a phone') await page.locator('#tab-moves').tap();
    await board.until(() => document.querySelectorAll('.continuations ol.continued li').length === 8);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    if (kind === 'on a phone') return;
    const bottoms = await page.evaluate(() => ['#moves', '.nav [data-act=back]'].map((name) => document.querySelector(name).getBoundingClientRect().bottom));
    assert.ok(bottoms.every((bottom) => bottom > 0 && bottom <= 768), String(bottoms));
    const row = page.locator('.continued li').first();
    assert.ok(await row.evaluate((node) => { const { left, bottom } = node.getBoundingClientRect(); return node.contains(document.elementFromPoint(left + 5, bottom - 5)); }), 'the first continuation is whole');
    assert.ok((await page.locator('#moves').boundingBox()).height >= 100, String((await page.locator('#moves').boundingBox()).height));
  }, options);
}

scenario('continuations: the list gives way to the one of the explorer, whose marks are on the board', (board) => withShelf(board, async ({ page }) => {
  await open(board, '(;GM[4]SZ[15]RU[renju];B[hh](;W[ig])(;W[hg]))');
  await listed(board, ['AI91 line', 'BH91 line']);
  await openExplorer(board);
  await page.locator('.continuations').waitFor({ state: 'hidden' });
  await page.locator(`${EXPLORER} .note button`).click();
  await listed(board, ['AI91 line', 'BH91 line']);
}), { skip });
