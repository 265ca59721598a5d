// Journeys: what a user meets from the first touch to the end of a game, an import or a review.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Board } from '../lib/board.mjs';
import { scenario } from '../lib/scenario.mjs';
import { startServer } from '../lib/server.mjs';
import { dropEngineQueries } from '../lib/sockets.mjs';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const PAIR = '#v=gomokufreestyle&s=15&m=h8i9j7';
/** A record by somebody else: names, labels, a result that the board does not show, line ends of its own. */
const RECORD = '(;GM[4]FF[4]SZ[15]RU[renju]\nPB[Anna]PW[Boris] RE[B+5]DT[2020-01-02]\n;B[hh]LB[hh:A]C[The centre]\n;W[ig]\n  (;B[ii]LB[ii:x])\n  (;B[gg]))\n';

/** Imports a record by the dialog. */
async function importRecord(board, text) {
  await board.page.locator('header [data-act=share]').click();
  await board.page.locator('#import').fill(text);
  await board.page.locator('[data-load]').click();
  await board.page.locator('dialog').waitFor({ state: 'detached' });
  await board.page.locator('header [data-mode=analyse][aria-pressed=true]').waitFor();
}

/** Saves the SGF from the dialog and returns its text. */
async function exportRecord(board) {
  await board.page.locator('header [data-act=share]').click();
  const [download] = await Promise.all([board.page.waitForEvent('download'), board.page.locator('[data-save=sgf]').click()]);
  const text = await readFile(await download.path(), 'utf8');
  await board.page.keyboard.press('Escape');
  await board.page.locator('dialog').waitFor({ state: 'detached' });
  return text;
}

/** Collects what screen readers are told from now on. */
const listen = (board) => board.page.evaluate(() => {
  globalThis.said = [];
  for (const id of ['say', 'alert']) new MutationObserver((changes) => globalThis.said.push(...changes.flatMap((change) => [...change.addedNodes].map((node) => node.textContent)))).observe(document.getElementById(id), { childList: true });
});
/** Waits until screen readers have been told something. @param {RegExp} words */
const heard = (board, words) => board.until((source) => globalThis.said.some((text) => new RegExp(source).test(text)), words.source);

/** Waits until all modules and texts are loaded. */
const loaded = (board) => board.until(() => performance.getEntriesByName('tengen.complete').length > 0);

/** Places stones by clicks, one after another. */
async function place(board, ...points) {
  for (const point of points) {
    const before = (await board.stones()).length;
    await board.clickWhenFree(point);
    await board.waitForStones(before + 1);
  }
}

scenario('journey 1: a record names a result that the board does not show: analysis and variations go on', async (board) => {
  const { page } = board;
  await importRecord(board, '(;GM[4]SZ[15]RU[freestyle]RE[B+R];B[hh];W[ig];B[ii];W[gg])');
  await page.locator('.lines tbody tr:nth-child(2) .pill').waitFor();
  await board.clickWhenFree('a1');
  await board.waitForStones(5);
  await board.mode('play');
  await board.waitForStatus(/Black won by resignation, says the record/);
});

scenario('journey 1: after resigning the analysis goes on', async (board) => {
  const { page } = board;
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  for (let press = 0; press < 2; press++) await page.locator('.actions [data-act=resign]').click();
  await board.waitForStatus(/Black resigned/);
  await board.mode('analyse');
  await page.locator('.lines tbody tr:nth-child(2) .pill').waitFor();
  await board.clickWhenFree('a1');
  await board.waitForStones(3);
});

scenario('journey 2: an imported record comes back byte for byte, and a change leaves the rest', async (board) => {
  const { page } = board;
  await importRecord(board, RECORD);
  await board.waitForStones(3);
  await page.locator('.lines tbody tr:nth-child(2) .pill').waitFor();
  await board.mode('play');
  await page.locator('#first b', { hasText: 'Anna' }).waitFor();
  await page.locator('#second b', { hasText: 'Boris' }).waitFor();
  assert.equal(await exportRecord(board), RECORD);
  await page.locator('.mv').nth(2).click({ button: 'right' });
  await page.locator('.menu button', { hasText: 'Comment' }).click();
  await page.locator('#comment').fill('new');
  await page.locator('dialog button[type=submit]').click();
  await page.locator('#commenttext', { hasText: 'new' }).waitFor();
  const changed = await exportRecord(board);
  for (const kept of ['PB[Anna]', 'PW[Boris]', 'RE[B+5]', 'DT[2020-01-02]', 'B[hh]LB[hh:A]C[The centre]', 'LB[ii:x]', 'C[new]']) assert.ok(changed.includes(kept), `${kept}: ${changed}`);
  await page.reload();
  await board.connected();
  await board.waitForStones(3);
  assert.equal(await exportRecord(board), changed);
});

scenario('journey 3: the comment of a move stands beside the moves and is read out', async (board) => {
  const { page } = board;
  await importRecord(board, RECORD);
  await board.waitForStones(3);
  await listen(board);
  await page.locator('.mv').first().click();
  await page.locator('#commenttext', { hasText: 'The centre' }).waitFor();
  await heard(board, /Move 1: Black H8\. The centre/);
  await page.locator('#commentcard button').click();
  await page.locator('#comment').fill('Another word');
  await page.locator('dialog button[type=submit]').click();
  await page.locator('#commenttext', { hasText: 'Another word' }).waitFor();
});

scenario('journey 4: two reviews of a game give the same marks; values are kept and used by the analysis', async (board, { browser, server }) => {
  const GAME = '#v=gomokufreestyle&s=15&m=h8i9g8i7i8a1f8';
  const review = async (one) => {
    await one.mode('review');
    await one.page.locator('#budget').selectOption('quick');
    await one.waitForStatus(/blunder|mistake|doubtful|played|Start/);
    await one.page.locator('.review progress').waitFor({ state: 'detached' });
    return one.page.locator('.review').innerText();
  };
  const first = await review(board);
  const other = await Board.open(browser, server.url, { hash: GAME });
  assert.equal(await review(other), first);
  await other.close();
  assert.match(first, /Accuracy/);
  await board.page.locator('.lossdot').first().waitFor();
  await board.page.reload();
  await board.connected();
  // The kept values need no search.
  const asked = [];
  board.page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => asked.push(JSON.parse(String(payload)).action)));
  await board.mode('review');
  await board.page.locator('.mistakes li').first().waitFor();
  assert.equal(await board.page.locator('.review').innerText(), first);
  assert.ok(!asked.includes('review'), 'no move is graded again');
}, { hash: '#v=gomokufreestyle&s=15&m=h8i9g8i7i8a1f8' });

scenario('journey 5: a look at the analysis on a phone does not change who plays', async (board) => {
  const { page } = board;
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.tap('h8');
  await page.locator('#place').filter({ hasText: 'H8' }).tap();
  const before = await board.waitForStones(2);
  await page.locator('header [data-mode=analyse]').tap();
  await page.locator('.lines tbody tr:nth-child(2) .pill').waitFor();
  await page.locator('#tab-moves').tap();
  await page.locator('.mv').first().waitFor();
  await page.locator('header [data-mode=play]').tap();
  await board.waitForStatus(/Your turn/);
  assert.deepEqual(await board.stones(), before);
  await board.tap('a1');
  await page.locator('#place').filter({ hasText: 'A1' }).tap();
  await board.waitForStones(4);
}, PHONE);

scenario('journey 5: Analyse and Play at once end in Play', async (board) => {
  await board.page.evaluate(() => { for (const mode of ['analyse', 'play']) document.querySelector(`header [data-mode=${mode}]`).click(); });
  await loaded(board);
  await board.page.locator('header [data-mode=play][aria-pressed=true]').waitFor();
  await board.mode('analyse');
  await board.page.locator('header [data-mode=analyse][aria-pressed=true]').waitFor();
}, { hash: PAIR });

scenario('journey 6: a game on a phone ends with who won, how, and what to do next', async (board) => {
  const { page } = board;
  await board.newGame({ variant: 'tictactoe', seats: 'both' });
  for (const point of ['a1', 'b1', 'a2', 'b2', 'a3']) {
    const count = (await board.stones()).length;
    await board.tap(point);
    await board.waitForStones(count + 1);
  }
  const card = page.locator('#ending');
  await card.waitFor();
  assert.match(await card.innerText(), /X wins with 3 in a row\.\s*in 5 moves\s*Rematch\s*Review\s*Share/);
  await card.getByRole('button', { name: 'Share' }).tap();
  await page.locator('dialog.d-share').waitFor();
  await page.keyboard.press('Escape');
  await card.getByRole('button', { name: 'Review' }).tap();
  await page.locator('.review').waitFor();
  await page.locator('header [data-mode=play]').tap();
  await card.getByRole('button', { name: 'Rematch' }).tap();
  await board.waitForStones(0);
}, PHONE);

scenario('journey 7: without a server dialogs open, the record is exported, and no click is played later', async (_, { browser }) => {
  const server = await startServer();
  const board = await Board.open(browser, server.url, { hash: PAIR });
  const { page } = board;
  await loaded(board);
  await server.kill();
  await page.locator('#banner').filter({ hasText: 'Connection lost' }).waitFor();
  for (const act of ['new', 'settings', 'share', 'language']) {
    await page.locator(`header [data-act=${act}]`).click();
    await page.locator(`dialog.d-${act}`).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  }
  assert.match(await exportRecord(board), /;B\[hh\];W\[ig\];B\[ji\]/);
  await board.click('a1');
  await board.waitForStatus(/Not connected/);
  await board.click('a15');
  const again = await startServer({ port: server.port });
  await page.evaluate(() => document.querySelector('#trynow').click());
  await board.connected();
  await board.waitForStatus(/White to move/);
  assert.deepEqual(await board.stones(), ['h8 black', 'i9 white', 'j7 black']);
  assert.deepEqual(board.errors, []);
  await board.close();
  await again.kill();
});

scenario('journey 8: the facts of a running analysis go on between two reports', async (board) => {
  const { page } = board;
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => socket.send(text));
    socket.onMessage((text) => {
      const query = JSON.parse(String(text));
      if (!query.infinite) return server.send(text);
      socket.send(JSON.stringify({ type: 'report', id: query.id, turn_number: 3, depth: 7, nodes: 1_000_000, nps: 1_000_000, time_ms: 1000, moves: [{ rank: 1, move: 'h9', score: { cp: 10 }, bound: 'exact', wdl: [500, 0, 500], pv: ['h9'] }] }));
    });
  });
  await page.reload();
  await board.connected();
  await board.mode('analyse');
  await board.until(() => /depth 7.*0:01/.test(document.querySelector('.facts')?.textContent ?? ''));
  await board.until(() => /≈ [3-9]\.\d+ M nodes.*0:0[3-9]/.test(document.querySelector('.facts')?.textContent ?? ''));
}, { hash: PAIR });

scenario('journey 9: stepping, the ghost stone and a tried move are told to screen readers', async (board) => {
  const { page } = board;
  await loaded(board);
  await listen(board);
  await page.locator('.bottom [data-act=back]').tap();
  await heard(board, /Move 2: White I9/);
  await page.locator('.bottom [data-act=forward]').tap();
  await heard(board, /Move 3: Black J7/);
  await board.tap('c3');
  await heard(board, /Stone at C3, not placed yet/);
}, { ...PHONE, hash: PAIR });

scenario('journey 10: play from here, with either side, at any level', async (board) => {
  const { page } = board;
  await page.locator('#replay button').click();
  await page.locator('dialog label', { hasText: 'Black' }).click();
  await page.locator('#fromlevel').fill('1');
  await page.locator('dialog button[type=submit]').click();
  assert.equal((await board.waitForStones(4))[3].split(' ')[1], 'white');
  await board.waitForStatus(/Your turn/);
  assert.match(await page.locator('#second').textContent(), /level 1 of 10/);
  await board.mode('analyse');
  await page.locator('.nav [data-act=first]').click();
  await board.waitForStones(0);
  await page.locator('.nav [data-act=forward]').click();
  await board.waitForStones(1);
  await page.locator('#replay button').click();
  await page.locator('dialog label', { hasText: 'White' }).click();
  await page.locator('dialog button[type=submit]').click();
  await board.waitForStatus(/Your turn/);
  assert.deepEqual(await board.stones(), ['h8 black']);
  await board.clickWhenFree('a1');
  await board.waitForStones(3);
}, { hash: PAIR });

scenario('journey 11: a new game can be undone, and My games has the kept ones', async (board) => {
  const { page } = board;
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.clickWhenFree('h8');
  const before = await board.waitForStones(2);
  await board.newGame({ variant: 'tictactoe', seats: 'both' });
  await board.waitForStatus(/A new game has begun/);
  await page.locator('#choices button', { hasText: 'Undo' }).click();
  assert.deepEqual(await board.waitForStones(2), before);
  await board.newGame({ variant: 'tictactoe', seats: 'both' });
  await place(board, 'a1', 'b1', 'a2', 'b2', 'a3');
  await page.locator('.moves [data-act=more]').click();
  await page.locator('dialog [data-more=games]').click();
  const rows = page.locator('.games tbody tr');
  await rows.nth(1).waitFor();
  assert.match(await rows.nth(0).innerText(), /Tic-tac-toe.*5 played.*X won/s);
  await rows.nth(1).locator('[data-game]').click();
  assert.deepEqual(await board.waitForStones(2), before);
  await board.waitForStatus(/The game is open/);
});

for (const [width, height] of [[1280, 720], [1366, 657], [1024, 768], [900, 700]]) {
  scenario(`journey 12: at ${width} x ${height} the move buttons are on the screen beside the board`, async (board) => {
    const { page } = board;
    await board.mode('analyse');
    await page.locator('.lines tbody tr:nth-child(6) .pill').waitFor();
    for (const mode of ['analyse', 'review', 'play']) {
      await board.mode(mode);
      await page.locator(`header [data-mode=${mode}][aria-pressed=true]`).waitFor();
      const boxes = await page.evaluate(() => ['.nav', '.box', '#panel'].map((selector) => { const { left, right, bottom, width: w } = document.querySelector(selector).getBoundingClientRect(); return { left, right, bottom, w }; }));
      const [nav, box, panel] = boxes;
      assert.ok(nav.bottom <= height, `${mode}: the buttons end at ${nav.bottom}`);
      assert.ok(panel.left >= box.right, `${mode}: the panel is beside the board`);
      assert.ok(box.w >= 400, `${mode}: a board of ${box.w} px`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    }
  }, { viewport: { width, height }, hash: '#v=renju&s=15&m=h8i9j7g8j9j8h10h7i10h11i6g10' });
}

scenario('journey 13: a line of the analysis is whole; each move shows and plays the line up to it', async (board) => {
  const { page } = board;
  const pv = ['h9', 'h7', 'g7', 'g9', 'i7', 'i8', 'f8', 'e8', 'd8', 'c8', 'b8', 'k4'];
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => socket.send(text));
    socket.onMessage((text) => {
      const query = JSON.parse(String(text));
      if (!query.infinite || query.moves.length > 3) return server.send(text);
      socket.send(JSON.stringify({ type: 'report', id: query.id, turn_number: 3, depth: 7, nodes: 1e6, nps: 1e6, time_ms: 1000, moves: [{ rank: 1, move: 'h9', score: { cp: 10 }, bound: 'exact', wdl: [500, 0, 500], pv }] }));
    });
  });
  await page.reload();
  await board.connected();
  await board.mode('analyse');
  const moves = page.locator('.pv [data-n]');
  await moves.nth(10).waitFor();
  assert.deepEqual((await moves.allTextContents()).map((text) => text.toLowerCase()), pv.slice(1));
  await moves.nth(3).hover();
  await board.until(() => document.querySelectorAll('.preview').length === 5);
  await page.locator('.lines tbody tr').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await board.until(() => document.querySelectorAll('.preview').length === 3);
  await moves.nth(2).click();
  assert.deepEqual((await board.waitForStones(7)).slice(3).map((stone) => stone.split(' ')[0]), pv.slice(0, 4));
}, { hash: PAIR });

scenario('journey 14: chances are off against the engine, and shown with two values', async (board) => {
  const { page } = board;
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  assert.equal(await page.locator('#chancescard').isVisible(), false);
  assert.equal(await page.locator('#bar').isVisible(), false);
  await page.locator('header [data-act=settings]').click();
  await page.getByLabel('Chances in play').check();
  await page.keyboard.press('Escape');
  await board.clickWhenFree('a1');
  await board.waitForStones(4);
  await page.locator('#graph .area').waitFor();
});

scenario('journey 15: a clock of 12.5 s is not low at its start', async (board) => {
  const { page } = board;
  await board.newGame({ variant: 'gomokufreestyle', seats: 'both', clock: ['move', 12.5] });
  await page.locator('#first output', { hasText: '12.' }).waitFor();
  assert.equal(await page.locator('.players output.low').count(), 0);
  await page.locator('#first output.low').waitFor();
  assert.ok(parseFloat(await page.locator('#first output').textContent()) <= 6.25);
});

scenario('journey 16: with text of 200 % in a window of 320 px titles are whole, and no button lies under the bar', async (board) => {
  const { page } = board;
  await page.evaluate(() => { document.documentElement.style.fontSize = '200%'; });
  await page.locator('.mv').first().waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  const free = (selector) => page.locator(selector).last().evaluate((node) => { const { left, right, top, bottom } = node.getBoundingClientRect(); return left >= 0 && right <= innerWidth && [[left + 4, (top + bottom) / 2], [right - 4, (top + bottom) / 2]].every(([x, y]) => node.contains(document.elementFromPoint(x, y))); });
  for (const selector of ['.title b', '.modes button', '#replay button', '.mv', '#connection']) {
    await page.locator(selector).last().scrollIntoViewIfNeeded();
    assert.ok(await free(selector), selector);
  }
  for (const act of ['new', 'settings', 'more']) {
    await page.locator(`[data-act=${act}]:visible`).first().click();
    const title = page.locator('dialog h2');
    await title.waitFor();
    assert.ok(await title.evaluate((node) => node.scrollWidth <= node.clientWidth + 1), `${act}: a cut title`);
    assert.ok(await page.locator('dialog').evaluate((node) => node.scrollWidth <= node.clientWidth + 1), `${act}: too wide`);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  }
}, { viewport: { width: 320, height: 640 }, hash: PAIR });

scenario('journey 17: a click on a stone gets a word, and a pasted record is opened', async (board) => {
  const { page } = board;
  await board.clickWhenFree('h8');
  await board.waitForStatus(/H8 is taken/);
  const paste = (text) => page.evaluate((plain) => {
    const data = new DataTransfer();
    data.setData('text/plain', plain);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
  await loaded(board);
  await paste(RECORD);
  assert.deepEqual(await board.waitForStones(3), ['h8 black', 'i9 white', 'i7 black']);
  await paste('(;GM[4]SZ[15];B[zz])');
  await page.locator('#importfault', { hasText: '"zz" is not a point' }).waitFor();
  assert.deepEqual(await board.stones(), ['h8 black', 'i9 white', 'i7 black']);
}, { hash: PAIR });

scenario('journey 18: the review shows the better move, and says what a tried move loses', async (board) => {
  const { page } = board;
  await board.mode('review');
  await page.locator('.review progress').waitFor({ state: 'detached' });
  await page.locator('.mistakes li').first().waitFor();
  await page.locator('.betterring').waitFor();
  await listen(board);
  await page.locator('.mistakes li', { hasText: 'B3 ??' }).locator('.link').nth(1).click();
  await board.waitForStatus(/Find a better move for O/);
  assert.equal(await page.locator('.betterring').count(), 0);
  assert.equal(await page.locator('#chancescard').isVisible(), false);
  await board.clickWhenFree('c3');
  await board.waitForStatus(/C3 is not the best move\. It loses \d+ %/);
  await heard(board, /C3 is not the best move/);
  await page.locator('#choices button', { hasText: 'Why?' }).click();
  await board.waitForStatus(/threatened to win at once on C2, and C3 does not stop it/);
  await page.locator('#choices button', { hasText: 'Show the answer' }).click();
  await board.waitForStatus(/B3: blunder/);
}, { hash: '#v=tictactoe&s=3x3&m=b2a1a2b3' });

scenario('journey 19: numbers of a winning line and coordinates beside edge stones can be read', async (board) => {
  const { page } = board;
  await page.locator('.winring').nth(2).waitFor();
  const order = await page.locator('.picture > g').evaluateAll((all) => all.map((node) => node.getAttribute('class')));
  assert.ok(order.indexOf('l-winline') < order.indexOf('l-stones'), 'the line lies under the stones');
  assert.ok(order.indexOf('coords') > order.indexOf('l-stones'), 'the coordinates lie above the stones');
  assert.deepEqual((await page.locator('.stone text').allTextContents()).sort(), ['1', '2', '3', '4', '5']);
  assert.notEqual(await page.locator('#point').evaluate((node) => getComputedStyle(node).borderTopColor), 'rgba(0, 0, 0, 0)');
}, { hash: '#v=custom&s=3&k=3&m=a1b1a2b2a3' });

scenario('a narrow page: the keyboard reaches each tab, and its pane is a tab panel', async (board) => {
  const { page } = board;
  await board.mode('analyse');
  await page.locator('.lines tbody tr:nth-child(2) .pill').waitFor();
  await page.locator('.bottom [data-act=back]').click();
  await page.locator('.lines tbody tr:nth-child(2) .pill').waitFor();
  await page.locator('#tab-chances:not([hidden])').waitFor();
  const tab = page.locator('.tabs [aria-selected=true]');
  await tab.focus();
  for (const name of ['Chances', 'Moves', 'Analysis']) {
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.locator(':focus').textContent(), name);
    assert.equal(await page.locator('[role=tabpanel]:visible').count() > 0, true, name);
    await page.getByRole('tabpanel', { name }).waitFor();
  }
}, { viewport: { width: 400, height: 800 }, hash: PAIR });

scenario('corrupt settings leave a board that can be played', async (board) => {
  await board.page.evaluate(() => localStorage.setItem('tengen.settings', '{"lines":'));
  await board.page.reload();
  await board.connected();
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
});

scenario('a text that a language lacks is shown in English, and the others in the language', async (board) => {
  const { page } = board;
  await page.route('**/lang/vi.json', async (route) => {
    const reply = await route.fetch();
    const texts = await reply.json();
    delete texts.new;
    await route.fulfill({ response: reply, json: texts });
  });
  await page.reload();
  await board.connected();
  await page.locator('header [data-act=new]', { hasText: 'New game' }).waitFor();
  await page.locator('header [data-mode=analyse]', { hasText: 'Phân tích' }).waitFor();
}, { storage: { 'tengen.settings': { language: 'vi' } } });

for (const [kind, options] of [['a desktop', {}], ['a phone', PHONE]]) {
  scenario(`the first view of ${kind} needs no text of the second file`, async (board) => {
    const { page } = board;
    await page.route('**/lang/*.more.json', (route) => route.abort());
    board.requests.length = 0;
    await page.reload();
    await board.connected();
    await page.locator('#second b', { hasText: 'Tengen' }).waitFor();
    await page.locator('#first b', { hasText: 'Bạn' }).waitFor();
    if (kind === 'a phone') await page.locator('#place', { hasText: /./ }).waitFor();
    // A text that is missing makes the page ask for all English ones. The first ones are preloaded.
    assert.deepEqual(board.requests.filter((url) => /lang\/en\.more/.test(url)), []);
    board.errors.length = 0;
  }, { ...options, storage: { 'tengen.settings': { language: 'vi' } } });
}

scenario('a page that is loaded again before its address is that of the last move shows the saved game', async (board) => {
  const { page } = board;
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  await page.evaluate(() => { history.replaceState = () => {}; });
  await board.clickWhenFree('a1');
  const stones = await board.waitForStones(4);
  await board.waitUntilFree();
  await page.reload();
  await board.connected();
  assert.deepEqual(await board.waitForStones(4), stones);
  await page.locator('#second b', { hasText: 'Tengen' }).waitFor();
});

scenario('a drag with Shift marks the only points that are searched, with Ctrl points that are not', async (board) => {
  const { page } = board;
  /** @type {any[]} */
  const asked = [];
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => asked.push(JSON.parse(String(payload)))));
  await page.reload();
  await board.connected();
  await board.mode('analyse');
  await page.locator('.lines tbody tr:nth-child(2) .pill').waitFor();
  const drag = async (key, from, to) => {
    await page.keyboard.down(key);
    const [a, b] = [await board.at(from), await board.at(to)];
    await page.mouse.move(a.x, a.y);
    await page.mouse.down();
    await page.mouse.move(b.x, b.y);
    await page.mouse.up();
    await page.keyboard.up(key);
  };
  await drag('Shift', 'h7', 'i8');
  await page.locator('.chosen').nth(2).waitFor();
  await board.until(() => { const rows = [...document.querySelectorAll('.lines tbody th')].map((cell) => cell.textContent); return rows.length === 3 && rows.every((name) => ['H7', 'I7', 'I8'].includes(name)); });
  assert.deepEqual([...asked.at(-1).allow_moves].sort(), ['h7', 'i7', 'i8']);
  await drag('Control', 'a1', 'b1');
  await page.locator('.barred').nth(1).waitFor();
  await board.until(() => document.querySelectorAll('.lines tbody tr').length > 3);
  assert.deepEqual(asked.at(-1).avoid_moves, ['a1', 'b1']);
  await drag('Control', 'c3', 'c3');
  await page.locator('.barred').first().waitFor({ state: 'detached' });
  assert.equal((await board.stones()).length, 3);
}, { hash: PAIR });

scenario('search settings: a value that is refused is named; depth and lines hold for the analysis', async (board) => {
  const { page } = board;
  await page.locator('header [data-act=settings]').click();
  await page.locator('#set-searchNodes').fill('5');
  await page.locator('#set-searchNodes').press('Tab');
  await page.locator('#searchreason', { hasText: '"5": 1000 to' }).waitFor();
  await page.locator('#set-searchNodes').fill('');
  await page.locator('#set-searchDepth').fill('3');
  await page.locator('#set-searchDepth').press('Tab');
  await page.locator('#searchreason:empty').waitFor({ state: 'attached' });
  await page.locator('dialog .primary').click();
  await board.mode('analyse');
  await page.locator('.search .i-play').waitFor();
  assert.match(await page.locator('.facts').innerText(), /depth 3/);
  assert.equal(await page.locator('.lines tbody tr').count(), 6);
  await page.locator('#linecount').selectOption('2');
  await board.until(() => document.querySelectorAll('.lines tbody tr').length === 2);
}, { hash: PAIR });

scenario('the keyboard stays on a move whose list is drawn again', async (board) => {
  const { page } = board;
  await page.locator('.mv').nth(1).focus();
  await page.keyboard.press('Shift+F10');
  await page.locator('.menu button', { hasText: 'Comment' }).press('Enter');
  await page.locator('#comment').fill('new');
  await page.locator('dialog button[type=submit]').press('Enter');
  await page.locator('.mv em').waitFor();
  await board.until(() => document.activeElement?.textContent?.includes('I9') ?? false);
}, { hash: PAIR });

scenario('threats: what the opponent would win with after a pass is told and shown', async (board) => {
  await loaded(board);
  await board.page.locator('[role=gridcell][tabindex="0"]').focus();
  await board.page.keyboard.press('Shift+T');
  await board.waitForStatus(/Black threatens to win in \d moves?: /);
  await board.page.locator('.preview.stone.b, .stone.b.preview').first().waitFor();
}, { hash: '#v=gomokufreestyle&s=15&m=h8a1i8a2j8' });

scenario('the name of an opening stands above the moves, in the language of the page', async (board) => {
  const { page } = board;
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => server.send(text));
    server.onMessage((text) => {
      const reply = JSON.parse(String(text));
      const opening = { code: 'D4', native: '花月', romanised: 'Kagetsu', names: { en: 'Flower Moon', ru: 'Цветочная луна' } };
      socket.send(JSON.stringify(reply.type === 'position' ? { ...reply, opening } : reply));
    });
  });
  await page.reload();
  await board.connected();
  await page.locator('#moves .event', { hasText: 'Opening: D4 Kagetsu 花月 (Flower Moon)' }).waitFor();
}, { hash: '#v=renju&s=15&m=h8h9i9' });
