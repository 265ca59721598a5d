// Other features of the page: hint, resign, sides, menus, edit, settings.
import assert from 'node:assert/strict';
import { scenario } from '../lib/scenario.mjs';
import { stop } from '../lib/states.mjs';
import { changeSizes } from '../lib/sockets.mjs';

const PAIR = '#v=gomokufreestyle&s=15&m=h8i9j7';

/** Runs an action of the dialog More. */
async function more(board, act) {
  await board.page.locator('.moves [data-act=more]').click();
  await board.page.locator(`dialog [data-more=${act}]`).click();
}

scenario('a hint shows the point, then the line', async (board) => {
  await board.page.locator('.actions [data-act=hint]').click();
  await board.waitForStatus(/Hint: [A-O]\d+/);
  await board.page.locator('.hintring').waitFor();
  await board.page.locator('.actions [data-act=hint]').click();
  await board.page.locator('.preview').first().waitFor();
  await board.page.keyboard.press('Escape');
  await board.page.locator('.preview').first().waitFor({ state: 'detached' });
});

scenario('resign asks once; then review and rematch are offered', async (board) => {
  const { page } = board;
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await page.locator('.actions [data-act=resign]').click();
  assert.match(await page.locator('.actions [data-act=resign]').filter({ hasText: 'Really' }).textContent(), /Really resign/);
  await page.locator('.actions [data-act=resign]').click();
  await board.waitForStatus(/You lost\. Black resigned; White wins/);
  await page.locator('#ending [data-act=again]').click();
  await board.waitForStatus(/Play anywhere/);
});

scenario('the dialog of a new game stays open until the game is shown', async (board) => {
  const { page } = board;
  let release = () => {};
  const wanted = new Promise((resolve) => { release = resolve; });
  await page.route('**/js/app/play.js', (route) => wanted.then(() => route.continue()));
  await page.reload();
  await board.connected();
  await page.locator('[data-act=new]').click();
  await page.locator('#variant').selectOption('tictactoe');
  await page.locator('dialog button[type=submit]').click();
  assert.equal(await page.locator('dialog').count(), 1);
  release();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await board.until(() => document.querySelectorAll('[role=gridcell]').length === 9);
});

scenario('swapped sides: the engine plays for you, and you for it', async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await more(board, 'swapsides');
  const stones = await board.waitForStones(1);
  assert.match(stones[0], /black/);
  await board.waitForStatus(/Your turn/);
});

scenario('redo restores what undo took back; another move keeps the old line as a variation', async (board) => {
  const { page } = board;
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.clickWhenFree('h8');
  const before = await board.waitForStones(2);
  await page.locator('.actions [data-act=undo]').click();
  await board.waitForStones(0);
  await more(board, 'redo');
  assert.deepEqual(await board.waitForStones(2), before);
  await page.locator('.actions [data-act=undo]').click();
  await board.waitForStones(0);
  await board.clickWhenFree('c3');
  assert.equal((await board.waitForStones(2))[0], 'c3 black');
  await page.locator('.sideline').first().waitFor();
  assert.equal(await page.locator('.sideline').count(), 1);
});

scenario('menus: comment, main line, delete; search without a move', async (board) => {
  const { page } = board;
  await board.mode('analyse');
  await page.locator('.lines tbody tr:nth-child(3)').waitFor();
  await page.locator('.nav [data-act=back]').click();
  await board.waitForStones(2);
  await board.clickWhenFree('c3');
  await board.waitForStones(3);
  await page.locator('.sideline .mv').first().click({ button: 'right' });
  await page.locator('.menu button', { hasText: 'Make main line' }).click();
  await page.locator('#moves > .mv', { hasText: 'C3' }).click({ button: 'right' });
  await page.locator('.menu button', { hasText: 'Comment' }).click();
  await page.locator('#comment').fill('a plan');
  await page.locator('dialog button[type=submit]').click();
  await page.locator('.mv[title="a plan"]').waitFor();
  await page.locator('.sideline .mv').first().click({ button: 'right' });
  await page.locator('.menu button', { hasText: 'Delete' }).click();
  await page.locator('.sideline').waitFor({ state: 'detached' });
  await page.locator('.lines tbody tr:nth-child(3) .pill').waitFor();
  const best = (await page.locator('.lines tbody th').first().textContent()).toLowerCase();
  await board.click(best, { button: 'right' });
  await page.locator('.menu button', { hasText: 'Search without' }).click();
  await board.until((move) => { const all = [...document.querySelectorAll('.lines tbody th')].map((cell) => cell.textContent); return all.length > 2 && !all.includes(move); }, best.toUpperCase());
}, { hash: PAIR });

scenario('edit: rotate, shift, set up stones, and take them to an analysis', async (board) => {
  const { page } = board;
  const edit = async (name) => {
    await more(board, 'edit');
    await page.locator('dialog button', { hasText: name }).click();
  };
  await edit('Rotate');
  await board.until(() => [...document.querySelectorAll('[role=gridcell]')].some((cell) => cell.getAttribute('aria-label')?.startsWith('I7, White')));
  assert.deepEqual(await board.waitForStones(3), ['h8 black', 'i7 white', 'g6 black']);
  await edit('Shift up');
  await board.until(() => [...document.querySelectorAll('[role=gridcell]')].some((cell) => cell.getAttribute('aria-label')?.startsWith('G7, Black, move 3')));
  await edit('Set up stones');
  await board.waitForStatus(/Press a point/);
  await board.click('a1');
  await board.click('b1');
  await board.click('b1');
  await page.locator('#choices button', { hasText: 'Done' }).click();
  await board.until(() => [...document.querySelectorAll('[role=gridcell]')].some((cell) => cell.getAttribute('aria-label') === 'B1, White'));
  await page.locator('.lines tbody tr .pill').first().waitFor();
}, { hash: PAIR });

scenario('edit: the balanced move is one that may be played', async (board) => {
  const { page } = board;
  const line = (move, first) => ({ move, rank: 1, bound: 'exact', score: { cp: 0 }, wdl: [first, 0, 1000 - first], pv: [move] });
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => socket.send(text));
    socket.onMessage((text) => {
      const query = JSON.parse(String(text));
      if (!query.multi_pv) return server.send(text);
      // The point in the middle is forbidden.
      socket.send(JSON.stringify({ type: 'answer', id: query.id, turn_number: 8, best: 'h8', moves: [line('h8', 500), line('o15', 800), line('c3', 560)] }));
    });
  });
  await page.reload();
  await board.connected();
  await page.locator('.picture .cross').waitFor();
  await more(board, 'edit');
  await page.locator('dialog button', { hasText: 'Balanced move' }).click();
  assert.equal((await board.waitForStones(9))[8], 'c3 black');
  await board.waitForStatus(/C3 is the most even move: 56 %/);
}, { hash: '#v=renju&s=15&m=g8a1i8a3h7a5h9a7' });

scenario('a browser that refuses its storage is named once, the game goes on, and its link holds it', async (board) => {
  const { page } = board;
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(globalThis, name, { get() { throw new DOMException('refused', 'SecurityError'); } });
  });
  await page.reload();
  await board.connected();
  await page.evaluate(() => {
    globalThis.said = [];
    new MutationObserver((changes) => globalThis.said.push(...changes.flatMap((change) => [...change.addedNodes].map((node) => node.textContent)))).observe(document.getElementById('say'), { childList: true });
  });
  await board.newGame({ variant: 'gomokufreestyle', seats: 'both' });
  await board.clickWhenFree('h8');
  await board.waitForStones(1);
  await board.clickWhenFree('i9');
  await board.waitForStones(2);
  assert.equal((await page.evaluate(() => globalThis.said)).filter((text) => text === 'The browser cannot save the game').length, 1);
  await board.until(() => location.hash.includes('m=h8i9'));
  await page.reload();
  assert.deepEqual(await board.waitForStones(2), ['h8 black', 'i9 white']);
});

scenario('settings are kept: numbers, coordinates, theme, language', async (board) => {
  const { page } = board;
  await page.locator('header [data-act=settings]').click();
  await page.locator('#set-numbers').selectOption('last');
  await page.locator('#set-theme').selectOption('dark');
  await page.getByLabel('Coordinates').uncheck();
  await page.locator('#set-language').selectOption('ja');
  await page.locator('dialog h2', { hasText: '設定' }).waitFor();
  await page.reload();
  await board.connected();
  assert.deepEqual(await page.locator('.stone text').allTextContents(), ['3']);
  assert.equal(await page.locator('.coords').first().isVisible(), false);
  assert.equal(await page.evaluate(() => `${document.documentElement.lang} ${getComputedStyle(document.documentElement).colorScheme}`), 'ja dark');
}, { hash: PAIR });

scenario('the coordinate field answers: last, clock, value, forbidden points', async (board) => {
  const { page } = board;
  const ask = async (word, answer) => {
    await page.locator('#point').fill(word);
    await page.locator('#point').press('Enter');
    await board.waitForStatus(answer);
  };
  await ask('last', /A7/);
  await ask('clock', /No clocks/);
  await board.until(() => [...document.querySelectorAll('[role=gridcell]')].some((cell) => /forbidden/.test(cell.getAttribute('aria-label') ?? '')));
  await ask('forbidden', /H8 double-three/);
  await ask('rows', /H9 Black/);
  await ask('nonsense', /"nonsense" is not a point or command/);
}, { hash: '#v=renju&s=15&m=g8a1i8a3h7a5h9a7' });

scenario('the list of keys opens by ? and gives the focus back', async (board) => {
  await board.page.locator('header [data-act=settings]').focus();
  await board.page.keyboard.press('?');
  await board.page.locator('dialog .keys').waitFor();
  await board.page.keyboard.press('Escape');
  await board.page.locator('dialog').waitFor({ state: 'detached' });
  assert.equal(await board.page.evaluate(() => document.activeElement?.getAttribute('data-act')), 'settings');
});

scenario('white may start; engine against engine plays by itself', async (board) => {
  const { page } = board;
  await page.locator('[data-act=new]').click();
  await page.locator('#variant').selectOption('custom');
  for (const side of ['width', 'height', 'connect']) await page.locator(`#${side}`).fill('3');
  await page.locator('[name=firststone][value=white]').check({ force: true });
  await page.locator('[name=seats][value=none]').check({ force: true });
  await page.locator('#level').fill('0');
  await page.locator('dialog button[type=submit]').click();
  // A user can follow: the second move does not come at once.
  await board.waitForStones(1);
  const first = performance.now();
  await board.waitForStones(2);
  assert.ok(performance.now() - first > 400, `${performance.now() - first} ms`);
  await board.waitForStatus(/wins|drawn/);
  assert.match((await board.stones())[0], /white/);
});

scenario('tic-tac-toe has cells with X and O', async (board) => {
  const { page } = board;
  await page.locator('.celllines').waitFor();
  assert.deepEqual((await board.stones()).slice(0, 2), ['b2 x', 'a1 o']);
  assert.equal(await page.locator('.stone .sign:visible').count(), 6, 'two coins and four signs');
  assert.equal(await page.locator('.disk:visible').count(), 0);
  await board.waitForStatus(/X to move\. O played B3/);
  await board.click('c3');
  await board.waitForStones(5);
}, { hash: '#v=tictactoe&s=3x3&m=b2a1a2b3' });

for (const vibrate of [false, true]) {
  scenario(`a phone ${vibrate ? 'vibrates at a stone if the user wishes it' : 'does not vibrate, and nothing sounds, if the user has chosen nothing'}`, async (board) => {
    const { page } = board;
    await page.addInitScript(() => {
      globalThis.told = [];
      navigator.vibrate = (ms) => globalThis.told.push(ms) > 0;
      globalThis.AudioContext = class { constructor() { globalThis.told.push('sound'); } };
    });
    await page.reload();
    await board.connected();
    await board.newGame({ variant: 'gomokufreestyle', seats: 'both' });
    if (vibrate) {
      await page.locator('header [data-act=settings]').click();
      await page.getByLabel('Vibrate at a stone').check();
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    }
    await board.clickWhenFree('h8');
    await board.waitForStones(1);
    assert.deepEqual(await page.evaluate(() => globalThis.told), vibrate ? [15] : []);
  });
}

scenario('on a small phone all choices of the first visit can be reached', async (board) => {
  const { page } = board;
  for (const start of ['play', 'puzzles', 'analyse', 'other']) {
    const choice = page.locator(`.welcome [data-start=${start}]`);
    await choice.scrollIntoViewIfNeeded();
    assert.ok(await choice.evaluate((node) => { const { left, top, width, height } = node.getBoundingClientRect(); return left >= 0 && node.contains(document.elementFromPoint(left + width / 2, top + height / 2)); }), start);
  }
  await page.locator('.welcome [data-start=other]').tap();
  await page.locator('dialog #variant').waitFor();
}, { firstVisit: true, viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true, storage: { 'tengen.settings': { language: 'ru' } } });

scenario('after New game by the keyboard the board has the focus', async (board) => {
  const { page } = board;
  await page.locator('header [data-act=new]').focus();
  await page.keyboard.press('Enter');
  await page.locator('dialog #variant').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('dialog [type=submit]').focus();
  await page.keyboard.press('Enter');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.locator('[role=gridcell]:focus').waitFor();
  await page.locator('.cursorline').waitFor();
});

scenario('a browser without what the page needs says so; others do not', async (board) => {
  const { page } = board;
  await page.locator('.old').waitFor({ state: 'hidden' });
  await page.route('**/board.css', async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ response: reply, body: (await reply.text()).replace('@supports (color:light-dark', '@supports (color:no-such') });
  });
  await page.reload();
  await page.locator('.old', { hasText: 'This browser is too old' }).waitFor();
});

scenario('the first visit asks: play, puzzles or analyse, and the last choice is remembered', async (board) => {
  const { page } = board;
  const card = page.locator('.welcome');
  await card.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
  assert.match(await card.locator('[data-start=play]').innerText(), /Gomoku freestyle, 15 × 15 · level 2 of 10/);
  await card.locator('[data-start=analyse]').click();
  await page.locator('header [data-mode=analyse][aria-pressed=true]').waitFor();
  await page.evaluate(() => { location.hash = ''; });
  await page.goto('about:blank');
  await page.goto(board.url);
  await page.locator('header [data-mode=analyse][aria-pressed=true]').waitFor();
  assert.equal(await card.count(), 0);
  await page.locator('[data-act=more]:visible').first().click();
  await page.locator('dialog [data-more=welcome]').click();
  await card.locator('[data-start=play]').click();
  await card.waitFor({ state: 'detached' });
  await page.locator('#game', { hasText: 'Gomoku freestyle' }).waitFor();
  await board.mode('play');
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  assert.match(await page.locator('.players').innerText(), /level 2 of 10/);
}, { firstVisit: true });

scenario('panels fold and keep their state; a line is one row that unfolds; variations fold', async (board) => {
  const { page } = board;
  await board.mode('analyse');
  await page.locator('.lines tbody tr:nth-child(6) .pill').waitFor();
  await stop(board);
  // One row of text for each line, and six rows of moves.
  const heights = () => page.locator('.lines tbody tr').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
  assert.ok((await heights()).every((height) => height < 34), String(await heights()));
  const list = await page.locator('#moves').boundingBox();
  const move = await page.locator('#moves > .mv').first().boundingBox();
  assert.ok(list.height >= 6 * move.height, `${list.height} for rows of ${move.height}`);
  assert.ok(list.y + list.height < 768, 'the moves are on the screen');
  const long = page.locator('.lines tbody tr').first();
  await long.locator('.unfold [aria-expanded]').click();
  assert.equal(await long.locator('.unfold [aria-expanded]').getAttribute('aria-expanded'), 'true');
  await board.until(() => { const pv = document.querySelector('.lines tbody .whole .pv'); return pv && pv.scrollWidth <= pv.clientWidth; });
  const folder = page.getByRole('button', { name: 'Show Best moves' });
  await folder.click();
  await page.locator('.lines').waitFor({ state: 'hidden' });
  await page.reload();
  await board.connected();
  await board.mode('analyse');
  await page.locator('.ranked.folded').waitFor();
  assert.equal(await folder.getAttribute('aria-expanded'), 'false');
  await folder.click();
  await page.locator('.lines').waitFor();
  // A variation with more than one move folds to its first move.
  await page.locator('.nav [data-act=first]').click();
  for (const [n, point] of ['c3', 'd4', 'e5'].entries()) {
    await board.clickWhenFree(point);
    await board.waitForStones(n + 1);
  }
  await page.locator('#moves > .mv', { hasText: 'H8' }).click();
  const side = page.locator('.sideline').filter({ hasText: 'C3' });
  await side.locator('.twig').click();
  assert.deepEqual(await side.locator('.mv:visible').count(), 1);
  await side.locator('.twig').click();
  assert.deepEqual(await side.locator('.mv:visible').count(), 3);
}, { viewport: { width: 1366, height: 768 }, hash: '#v=renju&s=15&m=h8i9j7g8h9h10i10j11k12g9g10' });

scenario('in Review the button to the next mistake is whole at 1366x768', async (board) => {
  const { page } = board;
  await board.mode('review');
  await page.locator('#nextmistake').waitFor();
  await page.locator('.review progress').waitFor({ state: 'detached' });
  const whole = await page.locator('#nextmistake').evaluate((button) => {
    const [own, card] = [button.getBoundingClientRect(), button.closest('.card').getBoundingClientRect()];
    return own.top >= card.top && own.bottom <= card.bottom && own.bottom < innerHeight;
  });
  assert.ok(whole);
  const list = await page.locator('#moves').boundingBox();
  assert.ok(list.height >= 6 * 25, String(list.height));
}, { viewport: { width: 1366, height: 768 }, hash: '#v=tictactoe&s=3x3&m=b2a1a2b3' });

for (const language of ['en', 'zh', 'ja', 'vi', 'ru']) {
  scenario(`the review fits at 320 px: ${language}`, async (board) => {
    const { page } = board;
    await board.mode('review');
    await page.locator('.review progress').waitFor({ state: 'detached' });
    await page.locator('.mistakes li').first().waitFor();
    const cut = await page.locator('.review').evaluate((card) => [...card.querySelectorAll('*')].filter((node) => node.getBoundingClientRect().right > card.getBoundingClientRect().right + 0.5 || node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== 'inline').map((node) => `${node.localName} ${node.textContent}`.slice(0, 60)));
    assert.deepEqual(cut, []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  }, { viewport: { width: 320, height: 700 }, hasTouch: true, isMobile: true, storage: { 'tengen.settings': { language, budget: 'quick' } }, hash: '#v=tictactoe&s=3x3&m=b2a1a2b3' });
}

scenario('a warning names a bad move but no better one, and the user can take the move back', async (board) => {
  await board.clickWhenFree('o15');
  await board.waitForStatus(/O15 loses \d+ %/);
  await board.page.locator('#choices button', { hasText: 'Take back' }).click();
  await board.waitForStones(5);
}, { hash: '#v=gomokufreestyle&s=15&m=h8i9g8i7i8', storage: { 'tengen.settings': { warn: true } } });

scenario('a warning that comes before the engine searches is shown after its move', async (board) => {
  const { page } = board;
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    /** @type {string | Buffer} */
    let held = '';
    let judged = 0;
    server.onMessage((text) => socket.send(text));
    socket.onMessage((text) => {
      const query = JSON.parse(String(text));
      if (query.action === 'position' && query.moves?.length === 1) held = text;
      else if (!query.nodes) server.send(text);
      else socket.send(JSON.stringify({ type: 'answer', id: query.id, best: 'a1', wdl: [900, 0, 100] }));
      // The server gets the query about the position only after both queries about the chances.
      if (query.nodes && ++judged === 2) server.send(held);
    });
  });
  await page.reload();
  await board.connected();
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  await board.waitForStatus(/H8 loses 80 %/);
}, { storage: { 'tengen.settings': { warn: true } } });

scenario('a dropped file and a changed link are read; a broken link keeps the game', async (board) => {
  const { page } = board;
  const file = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['(;GM[4]SZ[15];B[hh];W[ii])'], 'game.sgf'));
    return data;
  });
  // The page accepts files after the first drag event.
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: file });
  await board.until((data) => !document.body.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer: data })), file);
  await page.dispatchEvent('body', 'drop', { dataTransfer: file });
  await page.locator('[data-load]').click();
  assert.deepEqual(await board.waitForStones(2), ['h8 black', 'i7 white']);
  await page.evaluate(() => { location.hash = '#v=gomoku&s=15&m=a1b2c3'; });
  assert.deepEqual(await board.waitForStones(3), ['a1 black', 'b2 white', 'c3 black']);
  await page.evaluate(() => { location.hash = '#v=nope'; });
  await board.waitForStatus(/no game "nope"/);
  assert.equal((await board.stones()).length, 3);
});

/** The least and greatest size in the dialog of a new game for a variant, and the text beside them; null without a field. */
async function offeredSizes(board, variant) {
  await board.page.locator('#variant').selectOption(variant);
  return board.page.locator('#width').evaluateAll(([width]) => (width ? [width.min, width.max, width.parentElement.textContent] : null));
}

scenario('a new game offers the sizes that the server reports', async (board) => {
  const { page } = board;
  await page.locator('header [data-act=new]').click();
  await page.locator('dialog #width').waitFor();
  for (const variant of ['gomokufreestyle', 'gomoku', 'renju', 'caro']) assert.deepEqual(await offeredSizes(board, variant), ['5', '22', '(5–22)'], variant);
  assert.deepEqual((await offeredSizes(board, 'custom')).slice(0, 2), ['1', '26']);
  for (const variant of ['cfour', 'cfour-misere', 'tictactoe']) assert.equal(await offeredSizes(board, variant), null, variant);
});

scenario('the dialog of a new game stays in its place when the server has told its rules', async (board) => {
  const { page } = board;
  let release = () => {};
  const held = new Promise((resolve) => { release = () => resolve(null); });
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage(async (text) => {
      if (JSON.parse(String(text)).type === 'version') await held;
      socket.send(text);
    });
    socket.onMessage((text) => server.send(text));
  });
  await page.reload();
  await board.connected();
  await page.locator('header [data-act=new]').click();
  const top = () => page.locator('#level').evaluate((node) => node.getBoundingClientRect().top);
  await page.locator('#level').waitFor();
  const before = await top();
  release();
  await page.locator('#opening option').nth(1).waitFor({ state: 'attached' });
  assert.equal(await top(), before);
});

scenario('other sizes of the server change the dialog', async (board) => {
  const { page } = board;
  await changeSizes(page, { renju: { width: 15, height: 15, min: 9, max: 13 }, gomoku: undefined });
  await page.reload();
  await board.connected();
  await page.locator('header [data-act=new]').click();
  await page.locator('dialog #width').waitFor();
  assert.deepEqual(await offeredSizes(board, 'renju'), ['9', '13', '(9–13)']);
  for (const [side, words] of [['8', 'Whole numbers from 9 to 13'], ['13', ''], ['14', 'Whole numbers from 9 to 13']]) {
    await page.locator('#width').fill(side);
    await board.until((text) => document.getElementById('reason')?.textContent === text && document.querySelector('dialog [type=submit]')?.disabled === (text !== ''), words);
  }
  assert.equal(await offeredSizes(board, 'gomoku'), null);
});

scenario('a review after an analysis shows its own panel, and so does an analysis after a review', async (board) => {
  const { page } = board;
  const lines = page.locator('.lines tbody tr:nth-child(2) .pill');
  const mistakes = page.locator('.mistakes li').first();
  for (let n = 0; n < 2; n++) {
    await board.mode('analyse');
    await lines.waitFor();
    await mistakes.waitFor({ state: 'hidden' });
    await board.mode('review');
    await mistakes.waitFor();
    await lines.waitFor({ state: 'hidden' });
  }
  await board.mode('play');
  await mistakes.waitFor({ state: 'hidden' });
  await lines.waitFor({ state: 'hidden' });
}, { hash: '#v=tictactoe&s=3x3&m=b2a1a2b3' });
