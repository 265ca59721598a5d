// What the page does only with the engine in the page: files of other programs, and lists of threats.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Board, launch } from '../lib/board.mjs';
import { serveSite } from './site.mjs';

const PROGRAM = process.env.TENGEN ?? fileURLToPath(new URL('../../../target/debug/tengen', import.meta.url));
/** A library of other people with 12,000 moves; it may be absent. */
const LIBRARY = fileURLToPath(new URL('../../../../shared/data/records/Allrenjuopenings.lib', import.meta.url));
const SGF = '(;FF[4]GM[4]SZ[15]RU[renju];B[hh];W[hg](;B[ig]C[a flower];W[aa])(;B[jg]))';

let browser, site, folder;
before(async () => {
  [browser, site, folder] = await Promise.all([launch(), serveSite(), mkdtemp(join(tmpdir(), 'board-files-'))]);
});
after(async () => {
  await browser?.close();
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Opens a file by the dialog of sharing. @param {Board} board @param {string} file */
async function open(board, file) {
  await board.page.locator('header [data-act=share]').click();
  await board.page.locator('#importfile').setInputFiles(file);
}

for (const kind of ['lib', 'psq']) {
  test(`a file of another program is opened: ${kind}`, async () => {
    const source = join(folder, 'game.sgf');
    const file = join(folder, `game.${kind}`);
    await writeFile(source, SGF);
    await promisify(execFile)(PROGRAM, ['convert', source, file]);
    const board = await Board.open(browser, site.url);
    await open(board, file);
    await board.page.locator('dialog').waitFor({ state: 'detached' });
    await board.page.locator('.mv', { hasText: 'H8' }).waitFor();
    const moves = await board.page.locator('.mv span:not(.sr)').allTextContents();
    if (kind === 'lib') assert.deepEqual(moves.toSorted(), ['A15', 'H8', 'H9', 'I9', 'J9'], 'the variation too');
    else assert.deepEqual(moves, ['H8', 'H9', 'I9', 'A15']);
    assert.deepEqual(board.errors, []);
    await board.close();
  });
}

test('a file that is none says why, and the game stays', async () => {
  const file = join(folder, 'broken.lib');
  await writeFile(file, 'no library');
  const board = await Board.open(browser, site.url, { hash: '#v=renju&s=15&m=h8' });
  await open(board, file);
  await board.page.locator('#importfault:not(:empty)').waitFor();
  await board.page.keyboard.press('Escape');
  await board.waitForStones(1);
  await board.close();
});

test('a large library of other people is opened', { skip: !existsSync(LIBRARY) && `skipped: ${LIBRARY} is absent` }, async () => {
  const board = await Board.open(browser, site.url);
  await open(board, LIBRARY);
  await board.page.locator('dialog').waitFor({ state: 'detached', timeout: 120_000 });
  await board.page.locator('#played', { hasText: /\d{3,} variations/ }).waitFor();
  await board.close();
});

test('a large library becomes a repertoire, and a line of it is learned', { skip: !existsSync(LIBRARY) && `skipped: ${LIBRARY} is absent` }, async () => {
  const board = await Board.open(browser, site.url);
  const { page } = board;
  await page.locator('[data-act=more]:visible').first().click();
  await page.locator('dialog [data-more=repertoire]').click();
  await page.locator('#repertoirefile').setInputFiles(LIBRARY);
  await page.locator('[data-repertoire]', { hasText: 'Allrenjuopenings.lib · first · 18759 positions' }).click({ timeout: 120_000 });
  await page.locator('#mistaketext', { hasText: 'Black to move: what does your repertoire play?' }).waitFor();
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  await page.locator('[data-mistake=answer]').waitFor();
  assert.deepEqual(board.errors, []);
  await board.close();
});

test('threats are listed, marked and told, and a button shows the line of one', async () => {
  const board = await Board.open(browser, site.url, { hash: '#v=gomokufreestyle&s=15&m=h8a1i8a2j8' });
  const { page } = board;
  await page.locator('.mv').first().waitFor();
  await page.locator('[role=gridcell][tabindex="0"]').focus();
  await page.keyboard.press('Shift+T');
  await board.waitForStatus(/Black has 4 threats if the other side passes/);
  assert.deepEqual(await page.locator('#choices button').allTextContents(), ['G8: open four or double four, wins in 2', 'K8: open four or double four, wins in 2', 'F8: four', 'L8: four']);
  await board.until(() => [...document.querySelectorAll('#board .disc')].map((disc) => disc.textContent).sort().join() === '4,4,4+,4+');
  assert.ok((await board.labels()).includes('G8, empty, G8: open four or double four, wins in 2'));
  await page.locator('#choices button').first().click();
  await page.locator('#board .preview').first().waitFor();
  await board.close();
});
