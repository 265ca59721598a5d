// My mistakes: blunders of reviewed games become cards, which are asked again.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { readLink } from '../../../web/page/js/record/link.js';
import { pack } from '../../../web/page/js/record/storage.js';
import { scenario } from '../lib/scenario.mjs';

/** O does not stop the row of X. */
const GAME = '#v=tictactoe&s=3x3&m=b2a1a2b3';
const KEY = 'tengen.mistakes';
const DAY = 86_400_000;

/** Opens the dialog, and waits for what it counts. @param {import('../lib/board.mjs').Board} board @param {RegExp} count */
async function open({ page }, count) {
  await page.locator('.moves [data-act=more]').click();
  await page.locator('dialog [data-more=mistakes]').click();
  await page.locator('#mistakescount').filter({ hasText: count }).waitFor();
}

/** Reviews the game, and makes a card of the blunder. */
async function learn(board) {
  const { page } = board;
  await board.mode('review');
  await page.locator('#learn-second').click();
  await board.waitForStatus(/1 new card in My mistakes/);
  assert.equal(await page.locator('#learn-first').count(), 0, 'X has no blunder');
}

const says = ({ page }, words) => page.locator('#mistaketext').filter({ hasText: words }).waitFor();
const press = ({ page }, key) => page.locator(`[data-mistake=${key}]`).click();

scenario('my mistakes: a blunder is asked, a wrong move comes again today, any move that keeps the value is right', async (board) => {
  const { page } = board;
  await learn(board);
  await page.locator('#choices button', { hasText: 'My mistakes' }).click();
  await page.locator('#mistakescount').filter({ hasText: /^1 card, 1 due today$/ }).waitFor();
  await page.locator('#mistakesstart').click();
  await says(board, /^O to move: find a better move than B3, which lost \d+ %\.$/);
  assert.deepEqual(await board.waitForStones(3), ['b2 x', 'a1 o', 'a2 x']);
  await board.clickWhenFree('a3');
  await says(board, /A3 loses \d+ %\. The card comes again today/);
  await press(board, 'retry');
  await says(board, /find a better move/);
  await board.clickWhenFree('c2');
  await says(board, /^C2 keeps the expected score\.$/);
  await press(board, 'next');
  await says(board, /find a better move/);
  // By keys.
  await page.locator('[role=gridcell][tabindex="0"]').focus();
  await page.keyboard.type('c2');
  await page.keyboard.press('Enter');
  await says(board, /C2 keeps the expected score\. How hard was it\?/);
  await page.locator('[data-mistake=good]').focus();
  await page.keyboard.press('Enter');
  await says(board, /No more card is due today/);
  await press(board, 'undo');
  await says(board, /find a better move/);
  await page.locator('.actions [data-act=hint]').click();
  await page.locator('[data-mistake=next]').waitFor();
  await press(board, 'answer');
  await says(board, /The answer: C2/);
  await page.locator('#board .preview').first().waitFor();
  await press(board, 'delete');
  await says(board, /No more card is due today/);
  await open(board, /There is no card yet/);
  await page.keyboard.press('Escape');
  await press(board, 'undo');
  await says(board, /find a better move/);
  await page.reload();
  await board.connected();
  await open(board, /^1 card, 1 due today$/);
}, { hash: GAME });

scenario('my mistakes: a known card waits for its day, and all cards of a tab are one of the kept games', async (board) => {
  const { page } = board;
  const now = new Date(2026, 5, 1, 12);
  await page.clock.setFixedTime(now);
  await learn(board);
  const ask = async (count) => {
    await open(board, count);
    await page.locator('#mistakesstart').click();
    await board.clickWhenFree('c2');
    await says(board, /How hard was it/);
  };
  await ask(/1 due today/);
  const days = Number(/: (\d+) day/.exec(await page.locator('[data-mistake=good]').textContent())[1]);
  await press(board, 'good');
  await says(board, /No more card is due/);
  await page.clock.setFixedTime(now.getTime() + (days - 1) * DAY);
  await open(board, /^1 card, 0 due today$/);
  assert.ok(await page.locator('#mistakesstart').isDisabled());
  await page.keyboard.press('Escape');
  await page.clock.setFixedTime(now.getTime() + days * DAY);
  await ask(/1 due today/);
  const later = Number(/: (\d+) day/.exec(await page.locator('[data-mistake=good]').textContent())[1]);
  assert.ok(later > days, `${later} days after ${days}`);
  assert.equal(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('tengen.game.')).length), 2);
}, { hash: GAME });

/** A game against the engine. Its id has quotes, because the storage of a test holds JSON. */
const against = (seats, link) => {
  const game = Object.assign(readLink(link), { id: '"a"', seats });
  return { 'tengen.game."a"': pack(game), 'tengen.current': 'a' };
};

scenario('my mistakes: the review of a game against Tengen makes cards of the own blunders by itself', async (board) => {
  const { page } = board;
  await board.waitForStones(5);
  await board.mode('review');
  await page.locator('#learn-second').waitFor();
  await board.until((key) => localStorage.getItem(key)?.split('\n').length === 3, KEY);
  await open(board, /^1 card, 1 due today$/);
}, { storage: against({ first: 'engine', second: 'you' }, `${GAME}c2`) });

scenario('my mistakes: blunders of Tengen are no cards', async (board) => {
  const { page } = board;
  await board.waitForStones(4);
  await board.mode('review');
  await page.locator('.mistakes li').first().waitFor();
  await page.locator('.review progress').waitFor({ state: 'detached' });
  await open(board, /There is no card yet/);
}, { storage: against({ first: 'you', second: 'engine' }, GAME) });

scenario('my mistakes: cards are saved, opened again, and written for Anki', async (board) => {
  const { page } = board;
  await learn(board);
  await open(board, /1 card/);
  const saved = async (key) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`#mistakes${key}`).click()]);
    return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')];
  };
  const [name, text] = await saved('save');
  assert.equal(name, 'tengen-mistakes.jsonl');
  const [anki, notes] = await saved('anki');
  assert.equal(anki, 'tengen-mistakes-anki.txt');
  assert.match(notes, /^#separator:tab\n#html:true\n/);
  assert.match(notes, /\nTic-tac-toe: O to move: find a better move than B3.*<pre>.*\tC2.*<br><a href='http:.*#v=tictactoe/);
  await page.evaluate((key) => localStorage.removeItem(key), KEY);
  const take = (content) => page.locator('#mistakesfile').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
  await take(text);
  await page.locator('#mistakescount').filter({ hasText: '1 new card' }).waitFor();
  assert.equal(await page.evaluate((key) => localStorage.getItem(key), KEY), text);
  await take(`${text}{broken\n`);
  await page.locator('#mistakescount').filter({ hasText: '1 card cannot be read. All others are here.' }).waitFor();
}, { hash: GAME });

scenario('my mistakes: a damaged state loses no readable card, and says so', async (board) => {
  const { page } = board;
  await learn(board);
  await page.evaluate((key) => localStorage.setItem(key, localStorage.getItem(key).replace('\n', '\n{"link":"#v=ren\n')), KEY);
  await page.reload();
  await board.connected();
  await open(board, /^1 card, 1 due today$/);
  assert.equal(await page.locator('#mistakesfault').textContent(), '1 card cannot be read. All others are here.');
  await page.locator('#mistakesstart').click();
  await says(board, /find a better move than B3/);
}, { hash: GAME });

for (const language of ['ru', 'ja']) {
  scenario(`my mistakes on a phone of 320 px, ${language}: nothing is cut off, and targets are 44 px`, async (board) => {
    const { page } = board;
    await board.mode('review');
    await page.locator('#learn-second').tap();
    await page.locator('#choices button').tap();
    const check = async (state) => {
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, state);
      const small = await page.evaluate(() => [...(document.querySelector('dialog:modal') ?? document.getElementById('mistake')).querySelectorAll('button, .file')]
        .filter((node) => node.checkVisibility()).map((node) => [node.textContent, node.getBoundingClientRect()])
        .filter(([, box]) => box.height < 44 || box.right > innerWidth).map(([text]) => text));
      assert.deepEqual(small, [], state);
    };
    await page.locator('#mistakesstart').waitFor();
    await check('dialog');
    await page.locator('#mistakesstart').tap();
    await page.locator('#mistaketext').waitFor();
    await check('question');
    await page.locator('[data-mistake=answer]').tap();
    await page.locator('[data-mistake=next]').waitFor();
    await check('answer');
    await page.locator('.bottom [data-act=more]').tap();
    await page.locator('dialog [data-more=repertoire]').tap();
    await page.locator('#repertoireshown').tap();
    await page.locator('[data-repertoire]').waitFor();
    await check('dialog of repertoires');
  }, { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true, hash: GAME, storage: { 'tengen.settings': { language } } });
}
