// The board in Firefox: play by mouse, keys and touch, forbidden points, values, links.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { STONES, startFirefox } from '../lib/firefox.mjs';
import { startServer } from '../lib/server.mjs';

let firefox;
let server;

before(async () => {
  [firefox, server] = await Promise.all([startFirefox(), startServer()]);
  await firefox.setViewport(1400, 900);
});
after(async () => {
  await firefox?.close();
  await server?.kill();
});

const STATUS = "document.getElementById('status').textContent";

async function open(hash = '') {
  await firefox.open('about:blank');
  await firefox.open(`${server.url}icon.svg`);
  await firefox.value("(localStorage.setItem('tengen.start', 'play'), true)");
  await firefox.open(server.url + hash);
  await firefox.until("document.querySelector('#connection[data-state=open]') !== null");
}

test('by mouse: play, level, numbers, undo, engine first', async () => {
  await open();
  await firefox.press('[data-act=new]');
  await firefox.until("document.querySelector('dialog #variant') !== null");
  await firefox.value("(() => { const set = (id, value, kind) => { const node = document.getElementById(id); node.value = value; node.dispatchEvent(new Event(kind, { bubbles: true })); }; set('variant', 'gomokufreestyle', 'change'); set('level', '0', 'input'); document.querySelector('[name=seats][value=second]').click(); return true; })()");
  await firefox.press('dialog [type=submit]');
  const first = await firefox.waitForStones(1);
  assert.match(first[0], / black$/);
  assert.match(await firefox.value("document.querySelector('.players').textContent"), /level 0 of 10/);
  await firefox.until(`/Your turn/.test(${STATUS})`);
  await firefox.click(await firefox.at('a1'));
  const stones = await firefox.waitForStones(3);
  assert.equal(stones[1], 'a1 white');
  assert.deepEqual(await firefox.value("[...document.querySelectorAll('.stone text')].map((text) => text.textContent).sort()"), ['1', '2', '3']);
  await firefox.press('.actions [data-act=undo]');
  assert.deepEqual(await firefox.waitForStones(1), first);
});

test('by keys: play, undo, a typed point', async () => {
  await open('#v=gomokufreestyle&s=15');
  await firefox.value("(document.querySelector('[role=gridcell][tabindex=\"0\"]').focus(), true)");
  await firefox.keys('\uE012', '\uE006');
  assert.deepEqual(await firefox.waitForStones(1), ['g8 black']);
  await firefox.keys('i', '9', '\uE006');
  assert.deepEqual(await firefox.waitForStones(2), ['g8 black', 'i9 white']);
  await firefox.keys('\uE003');
  assert.deepEqual(await firefox.waitForStones(1), ['g8 black']);
});

test('by touch on a small screen: a tap sets the ghost, a second one plays', async () => {
  await firefox.setViewport(390, 844);
  await open('#v=gomokufreestyle&s=15');
  await firefox.click(await firefox.at('h8'), 'touch');
  await firefox.until("/H8/.test(document.getElementById('place')?.textContent)");
  assert.deepEqual(await firefox.value(STONES), []);
  await firefox.click(await firefox.at('j10'), 'touch');
  await firefox.until("/J10/.test(document.getElementById('place')?.textContent)");
  await firefox.click(await firefox.at('j10'), 'touch');
  assert.deepEqual(await firefox.waitForStones(1), ['j10 black']);
  await firefox.setViewport(1400, 900);
});

test('a click on a cross places no stone and shows the reason', async () => {
  await open('#v=renju&s=15&m=g8a1i8a3h7a5h9a7');
  await firefox.until("document.querySelector('.picture .cross') !== null");
  await firefox.click(await firefox.at('h8'));
  await firefox.until(`/H8 is forbidden: double-three/.test(${STATUS})`);
  assert.equal((await firefox.value(STONES)).length, 8);
});

test('values on points, a previewed line, exact columns', async () => {
  await open('#v=renju&s=15&m=h8i9j7g8');
  await firefox.press('[data-mode=analyse]');
  await firefox.until("document.querySelectorAll('.disc').length >= 4");
  await firefox.press('.search button:not(.link)');
  // The last report can come after the press.
  await firefox.until("[...document.querySelectorAll('.pill')].map((pill) => pill.textContent).sort().join() === [...document.querySelectorAll('.disc')].map((disc) => disc.textContent).sort().join()");
  await firefox.move(await firefox.value("(() => { const box = document.querySelector('.lines tbody tr').getBoundingClientRect(); return { x: box.left + 60, y: box.top + 10 }; })()"));
  await firefox.until("document.querySelectorAll('.preview').length > 1");
  await open('#v=cfour&s=7x6&m=d1d2d3d4d5b1b2e1f1d6');
  await firefox.press('[data-mode=analyse]');
  await firefox.until("[...document.querySelectorAll('.chips > span')].map((chip) => chip.textContent).join() === '▼Loss 15,▲Win 15,▼Loss 15,full,=Draw,▲Win 15,=Draw'");
});

test('a link opens the game at its move', async () => {
  await open('#v=renju&s=15&m=h8i9j7&at=2');
  assert.deepEqual(await firefox.waitForStones(2), ['h8 black', 'i9 white']);
  await firefox.until("document.querySelector('.mv[aria-current]')?.textContent.includes('I9')");
});

test('no caption of a hidden table is seen', async () => {
  await open('#v=renju&s=15&m=h8i9j7g8');
  await firefox.press('[data-mode=review]');
  await firefox.until("document.querySelector('caption')?.checkVisibility() && document.getElementById('chancescard').checkVisibility()");
  // The caption of a table is not inside of the box of the table, so that what hides the table must be around it.
  const box = await firefox.value("(() => { const { width, height } = document.querySelector('caption').closest('.sr').getBoundingClientRect(); return [document.querySelector('table.sr') === null, width, height]; })()");
  assert.deepEqual(box, [true, 1, 1]);
});

test('a click near the corner of a cell plays, a line is one row, and a panel folds', async () => {
  await open('#v=gomokufreestyle&s=15&m=h8i9');
  const { x, y, cell } = await firefox.at('j10');
  await firefox.until("!document.getElementById('board').classList.contains('locked') && document.querySelectorAll('.stone').length > 2");
  await firefox.click({ x: x + 0.44 * cell, y: y - 0.44 * cell });
  assert.equal((await firefox.waitForStones(3))[2], 'j10 black');
  await firefox.press('[data-mode=analyse]');
  await firefox.until("document.querySelectorAll('.lines tbody .pill').length >= 6");
  assert.ok((await firefox.value("[...document.querySelectorAll('.lines tbody tr')].map((row) => row.getBoundingClientRect().height)")).every((height) => height < 36));
  await firefox.press('.ranked > .folder');
  await firefox.until("document.querySelector('.lines').checkVisibility() === false");
  await firefox.press('.ranked > .folder');
  await firefox.until("document.querySelector('.lines').checkVisibility()");
});

test('the first visit asks, and play begins a game for beginners', async () => {
  await firefox.open(`${server.url}icon.svg`);
  await firefox.value('(localStorage.clear(), sessionStorage.clear(), true)');
  await firefox.open(server.url);
  await firefox.until("document.querySelector('.welcome [data-start=play]') !== null && document.querySelector('#connection[data-state=open]') !== null");
  await firefox.press('.welcome [data-start=play]');
  await firefox.until("document.querySelector('.welcome') === null && /freestyle/.test(document.getElementById('game').textContent)");
  await firefox.until("!document.getElementById('board').classList.contains('locked')");
  await firefox.click(await firefox.at('h8'));
  await firefox.waitForStones(2);
});

test('a record shows its continuations, and becomes a repertoire that asks for its moves', async () => {
  await open();
  await firefox.until("performance.getEntriesByName('tengen.complete').length > 0");
  await firefox.press('header [data-act=share]');
  await firefox.until("document.querySelector('dialog #import') !== null");
  await firefox.value("(document.getElementById('import').value = '(;GM[4]SZ[15]RU[freestyle];B[hh];W[hg](;B[ig])(;B[jg]))', true)");
  await firefox.press('[data-load]');
  await firefox.until("document.querySelector('dialog') === null && document.querySelector('.mv') !== null");
  await firefox.until("[...document.querySelectorAll('#board .treemark text')].map((mark) => mark.textContent).join('') === 'AB' && document.querySelectorAll('ol.continued li').length === 2");
  // In Play no panel of the analysis comes and moves the button.
  await firefox.press('[data-mode=play]');
  await firefox.until("document.querySelector('.lines')?.checkVisibility() !== true");
  await firefox.press('.moves [data-act=more]');
  await firefox.until("document.querySelector('dialog [data-more=repertoire]') !== null");
  await firefox.press('dialog [data-more=repertoire]');
  await firefox.until("document.querySelector('#repertoireshown') !== null");
  await firefox.press('#repertoireshown');
  await firefox.until("document.querySelector('[data-repertoire]') !== null");
  await firefox.press('[data-repertoire]');
  await firefox.until("/Black to move: what does your repertoire play/.test(document.getElementById('mistaketext')?.textContent) && !document.getElementById('board').classList.contains('locked')");
  await firefox.click(await firefox.at('h8'));
  // The page answers as the tree does.
  assert.deepEqual(await firefox.waitForStones(2), ['h8 black', 'h9 white']);
});

test('forced colours: stones keep their colours', async () => {
  const forced = await startFirefox({ 'ui.useAccessibilityTheme': 1, 'browser.display.document_color_use': 2 });
  try {
    await forced.open(`${server.url}#v=renju&s=15&m=h8i9`);
    await forced.until("matchMedia('(forced-colors: active)').matches && document.querySelectorAll('.l-stones .disk').length === 2");
    assert.deepEqual(await forced.value("[...document.querySelectorAll('.l-stones .disk')].map((disk) => [getComputedStyle(disk).fill, getComputedStyle(disk).stroke])"), [['rgb(0, 0, 0)', 'rgb(255, 255, 255)'], ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']]);
    const [fill, stroke] = await forced.value("(({ fill, stroke }) => [fill, stroke])(getComputedStyle(document.querySelector('.coords text')))");
    assert.notEqual(fill, stroke);
  } finally {
    await forced.close();
  }
});
