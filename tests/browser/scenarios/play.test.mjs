// Scenarios 1 to 7, 10, 11 and 13: games by mouse, keys, text and touch.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scenario } from '../lib/scenario.mjs';
import { dropEngineQueries } from '../lib/sockets.mjs';

const PROGRAM = process.env.TENGEN ?? fileURLToPath(new URL('../../../target/debug/tengen', import.meta.url));

/** All points of a 15x15 board, in rings from the middle. */
function* points() {
  for (let ring = 0; ring < 8; ring++) {
    for (let c = 7 - ring; c <= 7 + ring; c++) {
      for (let r = 7 - ring; r <= 7 + ring; r++) {
        if (Math.max(Math.abs(c - 7), Math.abs(r - 7)) === ring) yield { c, r };
      }
    }
  }
}
const name = ({ c, r }) => String.fromCharCode(97 + c) + (r + 1);

/** Chooses the free point that extends the longest own lines or stops the longest of the opponent's. */
function choose(labels, own) {
  const at = new Map();
  let forbidden = new Set();
  for (const label of labels) {
    const [point, what, third] = label.toLowerCase().split(', ');
    if (what !== 'empty') at.set(point, what);
    if (third === 'forbidden') forbidden.add(point);
  }
  const run = (point, side, dc, dr) => {
    let length = 0;
    for (let c = point.c + dc, r = point.r + dr; at.get(name({ c, r })) === side; c += dc, r += dr) length++;
    return length;
  };
  const sides = [own, own === 'black' ? 'white' : 'black'];
  let best = null;
  for (const point of points()) {
    if (at.has(name(point)) || forbidden.has(name(point))) continue;
    let worth = 0;
    for (const [n, side] of sides.entries()) {
      for (const [dc, dr] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
        const length = run(point, side, dc, dr) + run(point, side, -dc, -dr);
        worth += 10 ** Math.min(length, 4) * (n === 0 ? 3 : 1);
      }
    }
    if (!best || worth > best.worth) best = { worth, point: name(point) };
  }
  return best.point;
}

/** Plays a game to its end. `place` places a stone. */
async function playOut(board, place) {
  await board.waitForTurn();
  for (let move = 0; move < 225; move++) {
    if (/wins|drawn/.test(await board.status())) return;
    const before = (await board.stones()).length;
    const point = choose(await board.labels(), 'black');
    await place(point);
    await board.until(([n, refused]) => [...document.querySelectorAll('[role=gridcell]')].filter((cell) => /, move \d+/.test(cell.getAttribute('aria-label') ?? '')).length > n
      || new RegExp(`${refused} is forbidden|wins|drawn`).test(document.getElementById('status')?.textContent ?? ''), [before, point.toUpperCase()]);
    // The point may be forbidden, because crosses are drawn after the engine's stone. Its label tells it now.
    if (/is forbidden/.test(await board.status())) continue;
    await board.until(() => !/thinking/.test(document.getElementById('status')?.textContent ?? '') && /Your turn|wins|drawn/.test(document.getElementById('status')?.textContent ?? ''));
  }
  assert.fail('no end');
}

/** Saves the record and reads it with the program. */
async function readByProgram(board) {
  const { page } = board;
  await page.locator('header [data-act=share]').click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-save=sgf]').click()]);
  const file = await download.path();
  const { stdout } = await promisify(execFile)(PROGRAM, ['analyze', '--game', file, '--out', `${file}.out`, '--svg', `${file}.svg`, '--nodes', '100', '--json']);
  const lines = stdout.trim().split('\n').map((line) => JSON.parse(line));
  return { record: await readFile(file, 'utf8'), moves: lines.filter((line) => line.type === 'move').length };
}

scenario('1 renju to the end by mouse, and the program reads the record', async (board) => {
  await board.newGame({ variant: 'renju', level: 0 });
  await playOut(board, (point) => board.clickWhenFree(point));
  assert.match(await board.status(), /wins with 5 in a row|drawn/);
  if (/wins/.test(await board.status())) assert.equal(await board.page.locator('.winline').count(), 1);
  const stones = await board.stones();
  const { record, moves } = await readByProgram(board);
  assert.match(record, /RU\[renju\]/);
  assert.equal(moves, stones.length);
});

/** Presses Tab until an element has the focus. */
async function walk(page, selector) {
  for (let step = 0; step < 80; step++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach ${selector}`);
}

scenario('2 renju to the end by keys alone', async (board) => {
  const { page } = board;
  await walk(page, '[data-act=new]');
  await page.keyboard.press('Enter');
  await page.locator('dialog').waitFor();
  await walk(page, '#level');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await board.until(() => /level 0/.test(document.querySelector('.players')?.textContent ?? ''));
  await walk(page, '[role=gridcell]');
  let at = { c: 7, r: 7 };
  await playOut(board, async (point) => {
    const to = { c: point.charCodeAt(0) - 97, r: Number(point.slice(1)) - 1 };
    for (; at.c < to.c; at.c++) await page.keyboard.press('ArrowRight');
    for (; at.c > to.c; at.c--) await page.keyboard.press('ArrowLeft');
    for (; at.r < to.r; at.r++) await page.keyboard.press('ArrowUp');
    for (; at.r > to.r; at.r--) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  });
  assert.match(await board.status(), /wins|drawn/);
}, { storage: {} });

scenario('3 typed coordinates with a Russian layout', async (board) => {
  const { page } = board;
  await board.newGame({ variant: 'gomokufreestyle', seats: 'both' });
  await page.locator('[role=gridcell][tabindex="0"]').focus();
  const letters = 'фисвуапршолдьтщ';
  for (const point of ['h8', 'i9', 'j10', 'a15']) {
    const code = `Key${point[0].toUpperCase()}`;
    await page.locator(':focus').dispatchEvent('keydown', { key: letters[point.charCodeAt(0) - 97], code, bubbles: true, cancelable: true });
    await page.keyboard.type(point.slice(1));
    assert.match(await board.page.locator('#status').filter({ hasText: point.toUpperCase() }).textContent(), /Point/);
    await page.keyboard.press('Enter');
    await board.until((label) => [...document.querySelectorAll('[role=gridcell]')].some((cell) => cell.getAttribute('aria-label')?.startsWith(`${label}, `) && /move/.test(cell.getAttribute('aria-label') ?? '')), point.toUpperCase());
  }
  assert.deepEqual(await board.stones(), ['h8 black', 'i9 white', 'j10 black', 'a15 white']);
  await page.keyboard.type('h8');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.locator('#point').fill('k11');
  await page.locator('#point').press('Enter');
  await board.waitForStatus(/K11/);
});

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

scenario('4 touch: a tap elsewhere moves the ghost, a tap on the ghost plays', async (board) => {
  await board.tap('h8');
  await board.page.locator('.ghost').waitFor();
  await board.page.locator('#place').filter({ hasText: 'H8' }).waitFor();
  await board.tap('j10');
  await board.page.locator('#place').filter({ hasText: 'J10' }).waitFor();
  assert.deepEqual(await board.stones(), []);
  await board.tap('j10');
  const stones = await board.waitForStones(2);
  assert.equal(stones[0], 'j10 black');
}, PHONE);

/** Widths of screens, and whether a cell of the 15x15 board is narrower than 24 px there. */
for (const [width, narrow] of /** @type {[number, boolean][]} */ ([[388, true], [390, false]])) {
  scenario(`4 touch: the bar has ${narrow ? 'arrows below' : 'no arrows from'} 24 px a cell`, async (board) => {
    const { page } = board;
    const { cell } = await board.at('h8');
    assert.ok(narrow ? cell > 23.9 && cell < 24 : cell >= 24 && cell < 24.2, `${cell} px`);
    await board.tap('h8');
    const place = (name) => page.locator('#place').filter({ hasText: name }).waitFor();
    await place('H8');
    assert.equal(await page.locator('#nudges').isVisible(), narrow);
    if (!narrow) return;
    for (const [arrow, name] of [['One to the left', 'G8'], ['One up', 'G9'], ['One to the right', 'H9'], ['One down', 'H8']]) {
      await page.getByRole('button', { name: arrow }).tap();
      await place(name);
    }
    await page.getByRole('button', { name: 'One up' }).tap();
    await place('H9');
    await page.locator('#place').tap();
    assert.equal((await board.waitForStones(2))[0], 'h9 black');
  }, { ...PHONE, viewport: { width, height: 844 } });
}

scenario('4 touch: a finger drags the ghost stone, and lifting the finger plays nothing', async (board) => {
  const { page } = board;
  const session = await page.context().newCDPSession(page);
  const touch = async (type, point) => session.send('Input.dispatchTouchEvent', { type, touchPoints: point ? [await board.at(point)] : [] });
  const place = (name) => page.locator('#place').filter({ hasText: name }).waitFor();
  await board.tap('h8');
  await place('H8');
  await touch('touchStart', 'h8');
  await touch('touchMove', 'h6');
  await place('H6');
  await touch('touchMove', 'k5');
  await place('K5');
  await touch('touchMove', 'h8');
  await place('H8');
  await touch('touchEnd');
  await board.tap('c3');
  await place('C3');
  assert.deepEqual(await board.stones(), []);
  await board.tap('c3');
  assert.equal((await board.waitForStones(2))[0], 'c3 black');
}, PHONE);

scenario('a phone shows that standard gomoku needs exactly five', async (board) => {
  await board.page.locator('.title').filter({ hasText: 'Gomoku standard 15 × 15 · five exactly' }).waitFor();
}, { ...PHONE, hash: '#v=gomoku&s=15&m=h8' });

/** Points of the board and places in their cells, in parts of a cell: all directions, up to the corner of the cell. */
const PRESSES = Array.from({ length: 24 }, (_, n) => ({ point: `${String.fromCharCode(97 + ((n * 7) % 15))}${((n * 4 + Math.floor(n / 15)) % 15) + 1}`, dx: 0.48 * Math.cos(n), dy: 0.48 * Math.sin(n) }));
PRESSES.push({ point: 'b3', dx: 0.47, dy: 0.47 }, { point: 'm9', dx: -0.47, dy: 0.47 });

scenario('a click anywhere in the cell of a point plays there', async (board) => {
  for (const [n, { point, dx, dy }] of PRESSES.entries()) {
    await board.waitUntilFree();
    const { x, y, cell } = await board.at(point);
    await board.page.mouse.click(x + dx * cell, y + dy * cell);
    const stones = await board.waitForStones(n + 1);
    assert.equal(stones.at(-1).split(' ')[0], point);
  }
}, { hash: '#v=gomokufreestyle&s=15' });

scenario('4 touch: a press anywhere on the board sets the ghost on the nearest point', async (board) => {
  const { page } = board;
  for (const { point, dx, dy } of PRESSES) {
    const { x, y, cell } = await board.at(point);
    await page.touchscreen.tap(x + dx * cell, y + dy * cell);
    await page.locator('#placetext', { hasText: new RegExp(`${point.toUpperCase()}$`) }).waitFor();
  }
  // Beyond the edge of the grid too.
  const { x, y, cell } = await board.at('a1');
  await page.touchscreen.tap(x - 0.7 * cell, y + 0.6 * cell);
  await page.locator('#placetext', { hasText: /A1$/ }).waitFor();
  assert.deepEqual(await board.stones(), []);
}, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

scenario('on a phone the board and what is below it stay in their place while the engine thinks', async (board) => {
  const { page } = board;
  await dropEngineQueries(page);
  await page.reload();
  await board.connected();
  await board.waitUntilFree();
  await page.locator('#confirm').waitFor();
  const tops = () => page.evaluate(() => ['#board', '#confirm', '#movescard'].map((name) => document.querySelector(name).getBoundingClientRect().top));
  await board.tap('h8');
  await page.locator('#place').filter({ hasText: 'H8' }).waitFor();
  const before = await tops();
  await page.locator('#place').tap();
  await board.waitForStones(1);
  await page.locator('#board.locked').waitFor();
  assert.deepEqual(await tops(), before);
  assert.ok(await page.locator('#place').isDisabled());
}, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

scenario('5 a slide off the board and a press released elsewhere place no stone', async (board) => {
  const { page } = board;
  const session = await page.context().newCDPSession(page);
  const touch = async (type, point) => session.send('Input.dispatchTouchEvent', { type, touchPoints: point ? [point] : [] });
  const from = await board.at('h8');
  await touch('touchStart', from);
  await touch('touchMove', { x: from.x + 40, y: from.y + 40 });
  await page.locator('.magnifier').waitFor();
  await touch('touchMove', { x: from.x, y: 20 });
  await touch('touchEnd');
  await page.locator('.magnifier').waitFor({ state: 'detached' });
  assert.deepEqual(await board.stones(), []);
  await page.evaluate(() => localStorage.setItem('tengen.settings', '{}'));
  const [a, b] = [await board.at('c3'), await board.at('d3')];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move(b.x, b.y);
  await page.mouse.up();
  assert.deepEqual(await board.stones(), []);
  await touch('touchStart', { x: from.x, y: from.y + 56 });
  await touch('touchEnd');
  assert.equal((await board.waitForStones(2))[0], 'h8 black');
}, { ...PHONE, storage: { 'tengen.settings': { entry: 'slide' } } });

scenario('6 a click on a cross places no stone and shows the reason', async (board) => {
  await board.page.locator('.picture .cross').waitFor();
  const before = await board.stones();
  await board.clickWhenFree('h8');
  await board.waitForStatus(/H8 is forbidden: double-three/);
  assert.deepEqual(await board.stones(), before);
}, { hash: '#v=renju&s=15&m=g8a1i8a3h7a5h9a7' });

scenario('7 undo while the engine thinks: the late answer changes nothing', async (board) => {
  const late = new Promise((resolve) => board.page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => {
    const reply = JSON.parse(String(payload));
    if (reply.type === 'answer') resolve(reply);
  })));
  await board.page.reload();
  await board.connected();
  // With 200 s for a move, the engine still thinks at the undo.
  await board.newGame({ variant: 'gomokufreestyle', level: 10, clock: ['move', 200] });
  await board.clickWhenFree('h8');
  await board.waitForStatus(/thinking/);
  await board.page.locator('.actions [data-act=undo]').click();
  await board.waitForStones(0);
  await board.waitForStatus(/Play anywhere/);
  const { ended_by: end } = await late;
  assert.equal(end, 'terminated');
  await board.clickWhenFree('a1');
  assert.deepEqual(await board.waitForStones(1), ['a1 black']);
});

scenario('10 misere: the player who completes a line loses, and the status says so', async (board) => {
  await board.newGame({ variant: 'cfour-misere', seats: 'both' });
  for (const move of ['a1', 'b1', 'a1', 'b1', 'a1', 'b1', 'a1']) {
    const before = (await board.stones()).length;
    await board.click(move);
    await board.waitForStones(before + 1);
  }
  await board.waitForStatus(/Red completed a line and loses; Yellow wins/);
});

for (const [title, options, count] of [
  ['tic-tac-toe', { variant: 'tictactoe', level: 0 }, 9], ['5x5 with 4 in a row', { variant: 'custom', size: [5, 5, 4], level: 0 }, 25],
  ['22x22', { variant: 'gomokufreestyle', size: [22], level: 0 }, 484],
]) {
  scenario(`11 ${title} is shown and can be played`, async (board) => {
    await board.newGame(options);
    await board.until((n) => document.querySelectorAll('[role=gridcell]').length === n, count);
    const first = count === 484 ? 'v22' : 'b2';
    await board.click(first);
    assert.equal((await board.waitForStones(2))[0], `${first} ${options.variant === 'tictactoe' ? 'x' : 'black'}`);
  });
}

scenario('13 a fallen clock ends the game for the user', async (board) => {
  await board.newGame({ variant: 'gomokufreestyle', clock: ['move', 1], level: 0 });
  await board.waitForStatus(/White wins on time/);
  assert.match(await board.page.locator('#first output').textContent(), /time is up/);
});

scenario('13 a fallen clock ends the game for the engine', async (board) => {
  await dropEngineQueries(board.page);
  await board.page.reload();
  await board.connected();
  await board.newGame({ variant: 'gomokufreestyle', clock: ['move', 1], level: 10, seats: 'second' });
  await board.waitForStatus(/White wins on time/);
  assert.match(await board.page.locator('#first').textContent(), /Tengen.*time is up/);
});
