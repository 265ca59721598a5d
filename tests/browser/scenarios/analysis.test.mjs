// Scenarios 8, 9, 12 and 17: analysis, exact columns, swap2, review.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Board } from '../lib/board.mjs';
import { scenario } from '../lib/scenario.mjs';
import { startServer } from '../lib/server.mjs';
import { stop } from '../lib/states.mjs';

const GAME = '#v=renju&s=15&m=h8i9j7g8j9j8h10h7i10h11i6g10k8l9h5g4l7m6k7m7k5k6i5g5';

/** The rows of the table of best moves, as texts of their cells. */
const rows = (board) => board.page.locator('.lines tbody tr').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
/** The texts and classes of the discs on the board. */
const discs = (board) => board.page.locator('.disc').evaluateAll((all) => all.map((disc) => [disc.textContent, disc.getAttribute('class')]));

scenario('8 discs equal the lines; hover shows a line; a click plays; Stop keeps the values', async (board) => {
  const { page } = board;
  await board.mode('analyse');
  await page.locator('.lines tbody tr:nth-child(6)').waitFor();
  // The preview of the second row needs its line.
  await page.locator('.lines tbody tr:nth-child(2) .pv:not(:empty)').waitFor();
  await stop(board);
  const frozen = await rows(board);
  const shown = await discs(board);
  assert.deepEqual(shown.map(([text]) => text).sort(), frozen.map((row) => row[1]).sort());
  assert.ok(shown[0][1].includes('best'));
  await page.locator('.lines tbody tr:nth-child(2)').hover();
  await page.locator('.preview').first().waitFor();
  assert.ok(await page.locator('.preview').count() >= 2);
  assert.deepEqual(await rows(board), frozen);
  await page.mouse.move(5, 300);
  await page.locator('.preview').first().waitFor({ state: 'detached' });
  await board.click(frozen[0][0].toLowerCase());
  assert.equal((await board.waitForStones(25)).at(-1), `${frozen[0][0].toLowerCase()} black`);
}, { hash: GAME });

scenario('8 why: of the best line, of a point and of a move that was played', async (board) => {
  const { page } = board;
  await board.mode('analyse');
  await page.locator('.headline').filter({ hasText: 'Black wins in 2 moves' }).waitFor();
  await page.locator('#why').click();
  await board.waitForStatus(/^([GK]8): \1 wins by fours; moves: 2\. \1 /);
  await page.locator('.preview').nth(2).waitFor();
  await board.click('a5', { button: 'right' });
  await page.locator('.menu button', { hasText: 'Why?' }).click();
  await board.waitForStatus(/^A5: [GK]8 wins by fours/);
  await page.locator('.mv', { hasText: 'E1' }).click({ button: 'right' });
  await page.locator('.menu button', { hasText: 'Why?' }).click();
  await board.waitForStatus(/^E1: E1 leaves an open three: Black makes an open four on G8, K8/);
  // The analysis goes on.
  await page.locator('.facts', { hasText: /solved|M\/s/ }).waitFor();
}, { hash: '#v=gomokufreestyle&s=15&m=h8a1i8c1j8e1' });

scenario('9 four in a row: exact values of all columns', async (board) => {
  await board.mode('analyse');
  await board.until(() => /solved/.test(document.querySelector('.facts')?.textContent ?? '') || [...document.querySelectorAll('.chips .chip')].filter((chip) => /15|Draw/.test(chip.textContent ?? '')).length === 6);
  const chips = await board.page.locator('.chips > span').evaluateAll((all) => all.map((chip) => chip.textContent));
  assert.deepEqual(chips, ['▼Loss 15', '▲Win 15', '▼Loss 15', 'full', '=Draw', '▲Win 15', '=Draw']);
  await board.page.locator('.headline').filter({ hasText: 'Red wins in 15 moves, proven.' }).waitFor();
}, { hash: '#v=cfour&s=7x6&m=d1d2d3d4d5b1b2e1f1d6' });

scenario('a proof of the server says what is proven, for both sides', async (_, { browser }) => {
  const proof = fileURLToPath(new URL('../../../proofs/15x15-late.proof', import.meta.url));
  const server = await startServer({ options: ['--book', proof, '--workers', '1', '--hash', '16'] });
  const board = await Board.open(browser, server.url, { hash: '#v=gomokufreestyle&s=15&m=h8i9i8g8j10h9j9g9' });
  await board.mode('analyse');
  const proven = board.page.locator('.headline').filter({ hasText: /Proven: Black wins in at most \d+ moves\./ });
  await proven.waitFor();
  await board.page.locator('.facts', { hasText: 'solved' }).waitFor();
  await board.click((await rows(board))[0][0].toLowerCase());
  await board.waitForStones(9);
  await proven.waitFor();
  assert.deepEqual(board.errors, []);
  await board.close();
  await server.kill();
});

/** Clicks a button in the status. */
const press = (board, text) => board.page.locator('#choices button', { hasText: text }).click();

for (const [choice, turn] of [['Take black', /White to move|thinking|White/], ['Take white', /Your turn|White to move/], ['Place two more', /place stone 4/]]) {
  scenario(`12 swap2, the engine opens: ${choice}`, async (board) => {
    await board.newGame({ variant: 'gomokufreestyle', seats: 'second', level: 0, opening: 'swap2' });
    await board.waitForStones(3);
    await board.waitForStatus(/Take black, take white, or place two more/);
    await press(board, choice);
    if (choice === 'Place two more') {
      await board.waitForStatus(turn);
      await board.clickWhenFree('a1');
      await board.waitForStones(4);
      await board.clickWhenFree('o15');
      await board.until(() => /took (black|white)/.test(document.getElementById('moves')?.textContent ?? ''));
    } else {
      await board.until((words) => new RegExp(words).test(document.getElementById('moves')?.textContent ?? ''), `You ${choice.toLowerCase().replace('take', 'took')}`);
      if (choice === 'Take black') assert.equal((await board.waitForStones(4)).at(-1).split(' ')[1], 'white');
      const you = await board.page.locator('.players b').allTextContents();
      assert.equal(you[choice === 'Take black' ? 0 : 1], 'You');
    }
  });
}

/** Starts swap2 and places three stones. */
async function openThree(board) {
  await board.newGame({ variant: 'gomokufreestyle', seats: 'first', level: 0, opening: 'swap2' });
  for (const [n, point] of ['h8', 'i9', 'j7'].entries()) {
    await board.waitForStatus(/place stone \d/);
    await board.clickWhenFree(point);
    await board.until((count) => [...document.querySelectorAll('[role=gridcell]')].filter((cell) => /, move \d+/.test(cell.getAttribute('aria-label') ?? '')).length > count, n);
  }
}

scenario('12 swap2, you open: the engine chooses, and the page shows its choice', async (board) => {
  await openThree(board);
  await board.until(() => /Tengen (took|placed)/.test(document.getElementById('moves')?.textContent ?? ''));
});

/** The server's choice and its moves, the text on the page, and how the game continues. */
const CHOICES = [
  ['swap', [], /Tengen took black/, async (board) => {
    await board.clickWhenFree('c3');
    assert.equal((await board.waitForStones(5))[3], 'c3 white');
  }],
  ['stay', [], /Tengen took white/, async (board) => {
    assert.match((await board.waitForStones(4))[3], / white$/);
    await board.waitForStatus(/Your turn/);
    assert.ok(await board.page.locator('.actions [data-act=resign]').isEnabled());
    await board.clickWhenFree('a15');
    assert.equal((await board.waitForStones(6))[4], 'a15 black');
  }],
  ['two', ['a1', 'o15'], /Tengen placed two/, async (board) => {
    assert.deepEqual((await board.waitForStones(5)).slice(3), ['a1 white', 'o15 black']);
    await press(board, 'Take black');
    assert.match((await board.waitForStones(6))[5], / white$/);
  }],
];
for (const [choice, moves, text, goOn] of CHOICES) {
  scenario(`12 swap2, you open and the engine's choice is ${choice}`, async (board) => {
    await board.page.routeWebSocket(/\/v1\/ws/, (socket) => {
      const server = socket.connectToServer();
      let decides = '';
      // The page asked for a decision and gets this one.
      server.onMessage((message) => {
        const reply = JSON.parse(String(message));
        socket.send(reply.id === decides ? JSON.stringify({ ...reply, chosen: [choice, ...moves] }) : message);
      });
      socket.onMessage((message) => {
        const query = JSON.parse(String(message));
        if (query.decide) decides = query.id;
        if (query.decide) return server.send(JSON.stringify({ ...query, decide: false, acts: [...query.acts, choice, ...moves] }));
        server.send(message);
      });
    });
    await board.page.reload();
    await board.connected();
    await openThree(board);
    await board.until((words) => new RegExp(words).test(document.getElementById('moves')?.textContent ?? ''), text.source);
    await goOn(board);
  });
}

scenario('17 review of a game with a blunder: the mark, and the next-mistake key', async (board) => {
  const { page } = board;
  await board.mode('review');
  await page.locator('.mistakes li').first().waitFor();
  await page.locator('.review progress').waitFor({ state: 'detached' });
  const marked = await page.locator('.mistakes li .link:first-child').allTextContents();
  assert.ok(marked.some((text) => text.startsWith('4 B3 ??')), marked.join());
  const why = await page.locator('.mistakes li', { hasText: '4 B3 ??' }).locator('.why').textContent();
  assert.match(why ?? '', /threatened to win at once on C2, and B3 does not stop it/);
  // The dot of the last move is not cut off at the edge of the graph.
  await board.until(() => { const dot = document.querySelector('.nowdot')?.getBoundingClientRect(); return dot && dot.right < document.getElementById('graph').getBoundingClientRect().right; });
  await page.locator('[role=gridcell][tabindex="0"]').focus();
  await page.keyboard.press('Control+Home');
  await board.waitForStones(0);
  for (const [, point] of marked.map((text) => text.split(' '))) {
    await page.keyboard.press('Shift+M');
    await board.waitForStatus(new RegExp(`${point}: `));
    if (point !== 'B3') continue;
    await board.waitForStatus(/B3: blunder/);
    await page.locator('.mv[aria-current]', { hasText: /B3.*\?\?/ }).waitFor();
  }
  const [report] = await Promise.all([page.waitForEvent('download'), page.locator('#report').click()]);
  const html = readFileSync(await report.path(), 'utf8');
  assert.match(html, /^<!doctype html>[\s\S]*threatened to win at once on c2, and b3 does not stop it[\s\S]*<\/html>\n$/);
}, { hash: '#v=tictactoe&s=3x3&m=b2a1a2b3' });
