// Puzzles: journeys from the choice to the solution, with mistakes, a hint and a reload.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { puzzlesOf, setupOf } from '../../../web/page/js/features/puzzles/file.js';
import { scenario } from '../lib/scenario.mjs';

const puzzles = puzzlesOf(JSON.parse(readFileSync(new URL('../../../web/page/puzzles.json', import.meta.url), 'utf8')));
/** What the card says of a new puzzle. */
const FIND = /find the (only winning move|shortest win)/;

/** Opens a puzzle, and returns it: the one with the stones that the board shows. */
async function begin(board, variant, grade) {
  const { page } = board;
  await page.locator('.moves [data-act=more]').click();
  await page.locator('dialog [data-more=puzzles]').click();
  await page.locator('#puzzlevariant').selectOption(variant);
  await page.locator('#puzzlegrade').selectOption(grade);
  await page.locator('dialog button[type=submit]').click();
  await page.locator('#puzzletext').filter({ hasText: FIND }).waitFor();
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
  await page.locator('#puzzletext').filter({ hasText: FIND }).waitFor();
}

/** What the browser has kept if it has solved all puzzles but these, so that the page shows one of them. */
const only = (wanted) => ({ 'tengen.puzzles': { streak: 3, best: 3, solved: puzzles.filter((puzzle) => !wanted(puzzle)).map(({ f }) => f) } });
/** Puzzles with a misleading move that is proven not to win. */
const MISLEADING = only(({ t }) => t.some(([, ending]) => ending === 'loss'));
/** Puzzles that end with the second move. */
const SHORT = only(({ l }) => l.split(' ').length === 3);

/** Returns the names of the points that a pattern of labels fits. */
const points = async (board, pattern) => (await board.labels()).filter((label) => pattern.test(label)).map((label) => label.split(',')[0].toLowerCase());

scenario('a puzzle: wrong moves are refuted and end the streak, the right one wins, and a reload keeps the card', async (board) => {
  const { page } = board;
  const { l, t, u } = await begin(board, 'gomokufreestyle', '');
  const streak = page.locator('#puzzlestreak');
  assert.match(await streak.textContent(), /Solved in a row: 3\. Best: 3\. Rating: 1500/);
  const [best] = l.split(' ');
  const [[misleading]] = t.filter(([, ending]) => ending === 'loss').map(([line]) => line.split(' '));
  await board.click(misleading);
  await page.locator('#puzzletext').filter({ hasText: `${misleading.toUpperCase()} does not win. The answer: ` }).waitFor();
  await streak.filter({ hasText: /Solved in a row: 0\. Best: 3\. Rating: 14\d\d/ }).waitFor();
  await page.reload();
  await board.connected();
  await page.locator('#puzzletext').filter({ hasText: `${misleading.toUpperCase()} does not win. The answer: ` }).waitFor();
  await retry(board);
  // The file has no line for this move: the engine shows the answer.
  const other = (await points(board, /empty/)).find((point) => ![best, ...t.map(([line]) => line.split(' ')[0]), ...u].includes(point));
  await board.click(other);
  await page.locator('#puzzletext').filter({ hasText: `${other.toUpperCase()} does not win. The answer: ` }).waitFor();
  await retry(board);
  await board.click(best);
  await page.locator('#puzzletext').filter({ hasText: `${best.toUpperCase()} wins. Play on to the end.` }).waitFor();
  await page.locator('[data-puzzle=solution]').click();
  await page.locator('body[data-mode=analyse]').waitFor();
  await page.locator('.sideline').first().waitFor();
}, { storage: MISLEADING });

/** Whether a stone on a point makes four in a row with these stones. */
function makesFour(stones, point) {
  const [c, r] = [point.charCodeAt(0), Number(point.slice(1))];
  const has = (dc, dr, n) => stones.has(`${String.fromCharCode(c + n * dc)}${r + n * dr}`);
  const length = (dc, dr) => {
    const gap = [1, 2, 3].findIndex((n) => !has(dc, dr, n));
    return gap < 0 ? 3 : gap;
  };
  return [[1, 0], [0, 1], [1, 1], [1, -1]].some(([dc, dr]) => 1 + length(dc, dr) + length(-dc, -dr) >= 4);
}

/** Plays the solution of a puzzle of two moves. */
async function solve(board, { l, f }) {
  const { page } = board;
  const setup = setupOf(f, 6);
  const [best] = l.split(' ');
  await board.click(best);
  await board.until(() => /Your turn/.test(document.querySelector('#status')?.textContent ?? ''));
  const own = new Set([...setup[setup.turn], best]);
  const free = await points(board, /empty/);
  const lowest = free.filter((point) => !free.includes(`${point[0]}${Number(point[1]) - 1}`));
  await board.click(lowest.find((point) => makesFour(own, point)));
  await page.locator('#puzzletext').filter({ hasText: /Solved/ }).waitFor();
}

scenario('a solved puzzle counts, also after the page is loaded again, until help is asked for', async (board) => {
  const { page } = board;
  const streak = page.locator('#puzzlestreak');
  for (let count = 4; count <= 5; count++) {
    await solve(board, await begin(board, 'cfour', ''));
    assert.match(await streak.textContent(), new RegExp(`Solved in a row: ${count}\\.`));
    await page.locator('#puzzlefacts').filter({ hasText: /Every other move is proven/ }).waitFor();
    await page.reload();
    await board.connected();
    await page.locator('#puzzletext').filter({ hasText: /Solved/ }).waitFor();
    assert.match(await streak.textContent(), new RegExp(`Solved in a row: ${count}\\.`));
  }
  await begin(board, 'cfour', '');
  await page.locator('.actions [data-act=hint]').click();
  await streak.filter({ hasText: /Solved in a row: 0\. Best: 5\./ }).waitFor();
}, { storage: SHORT });

scenario('the puzzle of the day is the same at every visit, and is kept when it is solved', async (board) => {
  const { page } = board;
  const open = async () => {
    await page.locator('.moves [data-act=more]').click();
    await page.locator('dialog [data-more=puzzles]').click();
    await page.locator('#puzzledaily').click();
    await page.locator('#puzzle h2').filter({ hasText: /Puzzle of the day \d{4}-\d\d-\d\d/ }).waitFor();
    await page.locator('dialog').waitFor({ state: 'detached' });
    return JSON.stringify(await board.labels());
  };
  assert.equal(await open(), await open());
});
