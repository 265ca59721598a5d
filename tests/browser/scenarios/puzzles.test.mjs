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

scenario('a puzzle: a wrong move is refuted and ends the streak, the right one wins', async (board) => {
  const { page } = board;
  const { l, t } = await begin(board, 'gomokufreestyle', 'medium');
  const [best] = l.split(' ');
  const [tried] = t[0].split(' ');
  await board.click(tried);
  await page.locator('#puzzletext').filter({ hasText: `${tried.toUpperCase()} does not win. The answer: ` }).waitFor();
  assert.match(await page.locator('#puzzlestreak').textContent(), /Solved in a row: 0/);
  await page.locator('[data-puzzle=retry]').click();
  await page.locator('#puzzletext').filter({ hasText: /find the only winning move/ }).waitFor();
  await board.click(best);
  await page.locator('#puzzletext').filter({ hasText: `${best.toUpperCase()} wins. Play on to the end.` }).waitFor();
  await page.locator('[data-puzzle=solution]').click();
  await page.locator('body[data-mode=analyse]').waitFor();
  await page.locator('.sideline').first().waitFor();
});

scenario('a solved puzzle counts, also after the page is loaded again', async (board) => {
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
});
