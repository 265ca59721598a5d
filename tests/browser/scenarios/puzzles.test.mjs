// Puzzles: a journey from the choice to the solution, with a mistake.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setupOf } from '../../../web/page/js/features/puzzles/puzzles.js';
import { scenario } from '../lib/scenario.mjs';

const puzzles = JSON.parse(readFileSync(new URL('../../../web/page/puzzles.json', import.meta.url), 'utf8'));

/** Opens a puzzle, and returns it: the one with the stones that the board shows. */
async function begin(board, variant, grade) {
  const { page } = board;
  await page.locator('.moves [data-act=more]').click();
  await page.locator('dialog [data-more=puzzles]').click();
  await page.locator('#puzzlevariant').selectOption(variant);
  await page.locator('#puzzlegrade').selectOption(grade);
  await page.locator('dialog button[type=submit]').click();
  await page.locator('#puzzletext').filter({ hasText: /find the only winning move/ }).waitFor();
  const labels = (await board.labels()).filter((label) => !label.includes('empty'));
  const stones = new Set(labels.map((label) => label.split(',')[0].toLowerCase()));
  const height = variant === 'cfour' ? 6 : 15;
  const found = puzzles.find(({ v, f }) => {
    const { first, second } = setupOf(f, height);
    return v === variant && [...first, ...second].length === stones.size && [...first, ...second].every((point) => stones.has(point));
  });
  assert.ok(found, [...stones].join(' '));
  return found;
}

/** Goes back to the position of the puzzle. */
async function retry({ page }) {
  await page.locator('[data-puzzle=retry]').click();
  await page.locator('#puzzletext').filter({ hasText: /find the only winning move/ }).waitFor();
}

/** What the browser has kept of puzzles that it has solved: all without a misleading move, so that the page shows another one. */
const MISLEADING = { 'tengen.puzzles': { streak: 3, best: 3, solved: puzzles.filter(({ t }) => !t.length).map(({ f }) => f) } };

scenario('a puzzle: wrong moves are refuted and end the streak, the right one wins', async (board) => {
  const { page } = board;
  const { l, t } = await begin(board, 'gomokufreestyle', 'medium');
  const streak = page.locator('#puzzlestreak');
  assert.match(await streak.textContent(), /Solved in a row: 3\. Best: 3/);
  const [best] = l.split(' ');
  const misleading = t.map((line) => line.split(' ')[0]);
  await board.click(misleading[0]);
  await page.locator('#puzzletext').filter({ hasText: `${misleading[0].toUpperCase()} does not win. The answer: ` }).waitFor();
  await streak.filter({ hasText: /Solved in a row: 0\. Best: 3/ }).waitFor();
  await retry(board);
  // The file does not have this move: the engine judges it.
  const free = (await board.labels()).filter((label) => label.includes('empty')).map((label) => label.split(',')[0].toLowerCase());
  const other = free.find((point) => point !== best && !misleading.includes(point));
  await board.click(other);
  await page.locator('#puzzletext').filter({ hasText: `${other.toUpperCase()} does not win. The answer: ` }).waitFor();
  await retry(board);
  await board.click(best);
  await page.locator('#puzzletext').filter({ hasText: `${best.toUpperCase()} wins. Play on to the end.` }).waitFor();
  await page.locator('[data-puzzle=solution]').click();
  await page.locator('body[data-mode=analyse]').waitFor();
  await page.locator('.sideline').first().waitFor();
}, { storage: MISLEADING });

scenario('a solved puzzle counts, also after the page is loaded again, until a move is wrong', async (board) => {
  const { page } = board;
  for (let count = 1; count <= 2; count++) {
    const { l } = await begin(board, 'cfour', 'easy');
    await board.click(l.split(' ')[0]);
    // The engine may defend otherwise than the solution, so the page's hint names the next moves.
    while (true) {
      await board.until(() => /Solved\.|Your turn/.test(`${document.querySelector('#puzzletext')?.textContent} ${document.querySelector('#status')?.textContent}`));
      if (/Solved/.test(await page.locator('#puzzletext').textContent())) break;
      await page.locator('.actions [data-act=hint]').click();
      await board.waitForStatus(/Hint: [A-G]\d/);
      const [, point] = /Hint: ([A-G]\d)/.exec(await board.status());
      await board.click(point.toLowerCase());
      await page.locator('#puzzletext').filter({ hasText: new RegExp(`${point} wins|Solved`) }).waitFor();
    }
    assert.match(await page.locator('#puzzlestreak').textContent(), new RegExp(`Solved in a row: ${count}\\.`));
    await page.reload();
    await board.connected();
  }
  const { l } = await begin(board, 'cfour', 'easy');
  const labels = await board.labels();
  const other = Array.from('abcdefg').find((column) => column !== l[0] && labels.some((label) => label.startsWith(`${column.toUpperCase()}6, empty`)));
  await board.click(`${other}6`);
  await page.locator('#puzzletext').filter({ hasText: /does not win/ }).waitFor();
  await page.locator('#puzzlestreak').filter({ hasText: /Solved in a row: 0\. Best: 2\./ }).waitFor();
});
