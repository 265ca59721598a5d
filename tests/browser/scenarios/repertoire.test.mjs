// Repertoires: the page plays one side of a tree, asks for the moves of the other, and makes cards of them.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM, startServer } from '../lib/server.mjs';
import { scenario } from '../lib/scenario.mjs';

/** X takes the centre, a corner and the edge; O has no other move in the tree. */
const TREE = '(;SZ[3]RU[tictactoe];B[bb]C[The centre first];W[ac];B[cc];W[aa];B[ab])';
const NOON = new Date(2026, 5, 1, 12);

/** Opens a dialog by the list of further actions. */
async function further({ page }, name) {
  await page.locator('[data-act=more]:visible').first().click();
  await page.locator(`dialog [data-more=${name}]`).click();
}

/** Makes a repertoire of a file. @param {import('../lib/board.mjs').Board} board @param {string} text @param {{ name?: string, side?: string }} [options] */
async function make(board, text, { name = 'tree.sgf', side = 'first' } = {}) {
  const { page } = board;
  await further(board, 'repertoire');
  await page.locator('#repertoireside').selectOption(side);
  await page.locator('#repertoirefile').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
}

const says = ({ page }, words) => page.locator('#mistaketext').filter({ hasText: words }).waitFor();
const press = ({ page }, key) => page.locator(`[data-mistake=${key}]`).click();
const counts = ({ page }, words) => page.locator('#repertoirecount').filter({ hasText: words }).waitFor();

scenario('repertoire: the page plays the other side, knows equal moves, lets the engine judge others, and makes cards', async (board) => {
  const { page } = board;
  await page.clock.setFixedTime(NOON);
  await make(board, TREE);
  await counts(board, /^tree\.sgf is a repertoire now\.$/);
  assert.equal(await page.locator('[data-repertoire]').textContent(), 'tree.sgf · first · 3 positions');
  await page.locator('[data-repertoire]').click();
  await says(board, /^X to move: what does your repertoire play\?$/);
  // Every first move is a draw.
  await board.clickWhenFree('a2');
  await says(board, /^A2 is not in your repertoire\. The engine found a loss of less than 10 %\. The card comes again today\.$/);
  await press(board, 'retry');
  await board.clickWhenFree('b2');
  assert.deepEqual(await board.waitForStones(2), ['b2 x', 'a1 o']);
  await says(board, /what does your repertoire play/);
  await page.locator('.nav [data-act=back]').click();
  await page.locator('#commenttext', { hasText: 'The centre first' }).waitFor();
  await page.locator('#choices button').click();
  // The corner of the tree is C1; A3 is equal to it, and the page answers as the tree does there.
  await board.clickWhenFree('a3');
  assert.deepEqual(await board.waitForStones(4), ['b2 x', 'a1 o', 'a3 x', 'c1 o']);
  await says(board, /what does your repertoire play/);
  await board.clickWhenFree('c2');
  await says(board, /^C2 is not in your repertoire, and loses \d+ %\./);
  await press(board, 'answer');
  await says(board, /^Your repertoire plays B1\. The card comes again today\.$/);
  await press(board, 'next');
  await says(board, /^The line ends here\. Known at once: 1 of 3 moves\.$/);
  // A position that is taken back is asked again.
  await page.locator('.actions [data-act=undo]').click();
  await says(board, /what does your repertoire play/);
  await board.clickWhenFree('b1');
  await says(board, /^The line ends here/);
  await press(board, 'next');
  await board.waitForStones(0);
  await says(board, /what does your repertoire play/);
  await further(board, 'mistakes');
  await page.locator('#mistakescount').filter({ hasText: /^3 cards, [12] due today$/ }).waitFor();
  await page.locator('#mistakesstart').click();
  await says(board, /^X to move: what does your repertoire play\?$/);
  await board.clickWhenFree('b2');
  await says(board, /^B2 is in your repertoire\. How hard was it\?$/);
  await press(board, 'easy');
});

scenario('repertoire: it stays in the browser, for either side, and is deleted', async (board) => {
  const { page } = board;
  await make(board, TREE, { side: 'second' });
  await counts(board, /is a repertoire now/);
  await page.reload();
  await board.connected();
  await further(board, 'repertoire');
  await counts(board, /^Choose a repertoire/);
  await page.locator('[data-repertoire]').click();
  assert.deepEqual(await board.waitForStones(1), ['b2 x']);
  await says(board, /^O to move: what does your repertoire play\?$/);
  await board.clickWhenFree('c3');
  await board.waitForStones(3);
  await further(board, 'repertoire');
  await page.locator('.collection li button').last().click();
  await counts(board, /^There is no repertoire yet\.$/);
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('tengen.repertoire.'))), []);
});

scenario('repertoire: the user may play the other side before the page does', async (board) => {
  const { page } = board;
  await make(board, '(;SZ[3]RU[tictactoe];B[bb](;W[ac];B[aa])(;W[ab];B[cc]))');
  await page.locator('[data-repertoire]').click();
  await says(board, /what does your repertoire play/);
  await board.waitUntilFree();
  // The time stands still, so that the page does not answer.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await board.click('b2');
  await page.clock.runFor(100);
  await board.waitForStones(1);
  await board.click('b1');
  await page.clock.runFor(100);
  await board.waitForStones(2);
  await page.clock.runFor(1000);
  assert.deepEqual(await board.stones(), ['b2 x', 'b1 o']);
  await says(board, /what does your repertoire play/);
  await board.click('c3');
  await page.clock.runFor(100);
  await says(board, /^The line ends here\. Known at once: 2 of 2 moves\.$/);
});

scenario('repertoire: the games of a file are one tree, the game shown is one, and what cannot be learned says why', async (board) => {
  const { page } = board;
  await make(board, `${TREE}\n(;SZ[3]RU[tictactoe];B[bb];W[ab];B[aa])(;SZ[15]RU[renju];B[hh])`);
  await counts(board, /^tree\.sgf is a repertoire now\. 1 game is left out: it cannot be read, or has another board\.$/);
  assert.match(await page.locator('[data-repertoire]').textContent(), /4 positions$/);
  await page.locator('#repertoireshown').click();
  await counts(board, /^Tic-tac-toe is a repertoire now\.$/);
  assert.equal(await page.locator('[data-repertoire]').count(), 2);
  const fault = (words) => page.locator('#repertoirefault').filter({ hasText: words }).waitFor();
  for (const [text, words] of [['(;GM[4]SZ[15];B[hh]', /the record ends too early/], ['(;GM[4]SZ[15];C[x])', /^The tree has no move of this side\. Choose the other side\.$/]]) {
    await page.locator('#repertoirefile').setInputFiles({ name: 'a.sgf', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await fault(words);
  }
  await page.evaluate(() => {
    const key = Object.keys(localStorage).find((name) => name.startsWith('tengen.repertoire.'));
    localStorage.setItem(key ?? '', localStorage.getItem(key ?? '')?.slice(0, 40) ?? '');
  });
  await page.keyboard.press('Escape');
  await further(board, 'repertoire');
  await fault(/^1 repertoire cannot be read, and is left out\. Open its file again\.$/);
  assert.equal(await page.locator('[data-repertoire]').count(), 1);
}, { hash: '#v=tictactoe&s=3&m=b2a1' });

const hasShelf = !process.env.TENGEN_SITE && spawnSync(PROGRAM, ['shelf', '--help']).status === 0;

scenario('repertoire: the moves of the server\'s shelf, from the position shown on', async (board) => {
  const { page } = board;
  const folder = mkdtempSync(join(tmpdir(), 'tengen-repertoire-'));
  const [games, shelf] = ['games.sgf', 'my.shelf'].map((name) => join(folder, name));
  writeFileSync(games, ['cc', 'ca', 'ac'].map((last) => `(;SZ[3]RU[tictactoe]PB[${last}];B[bb];W[ab];B[aa];W[${last}])`).join(''));
  execFileSync(PROGRAM, ['shelf', 'import', games, '--shelf', shelf]);
  const server = await startServer({ options: ['--shelf', shelf, '--workers', '1', '--hash', '16'] });
  try {
    await page.goto(`${server.url}#v=tictactoe&s=3&m=b2`);
    await board.connected();
    await board.waitForStones(1);
    await further(board, 'repertoire');
    await page.locator('#repertoireshelf').click();
    await board.waitForStones(2);
    await says(board, /^X to move: what does your repertoire play\?$/);
    await press(board, 'answer');
    await press(board, 'next');
    // One game goes on with each of three moves: too few for a repertoire.
    await says(board, /^The line ends here\. Known at once: 0 of 1 moves\.$/);
  } finally {
    await page.goto('about:blank');
    await server.kill();
    rmSync(folder, { recursive: true });
  }
}, { skip: !hasShelf && 'skipped: the feature shelf of the program is absent' });
