// A server with the engine for browsers beside it: files of other programs, and the choice where the page searches.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Board, launch } from '../lib/board.mjs';
import { PROGRAM, startServer } from '../lib/server.mjs';
import { ENGINE, fileOf } from './site.mjs';

const NAMES = ['tengen_wasm', 'tengen_threads'].flatMap((name) => [`${name}.js`, `${name}_bindings.js`, `${name}_bg.wasm`]).concat('cfour.book');
const SGF = '(;FF[4]GM[4]SZ[15]RU[renju];B[hh];W[hg](;B[ig]C[a flower];W[aa])(;B[jg]))';

let browser, server, folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'board-engine-'));
  for (const name of NAMES) await writeFile(join(folder, `${name}.gz`), gzipSync(await readFile(fileOf(`${ENGINE}/${name}`)), { level: 1 }));
  [browser, server] = await Promise.all([launch(), startServer({ options: ['--page-engine', folder, '--workers', '1', '--hash', '16'] })]);
});
after(async () => {
  await browser?.close();
  await server?.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Counts the queries of an action that a page sends to the server. @param {import('playwright-core').Page} page @param {string} word */
async function sent(page, word) {
  const lines = [];
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const upstream = socket.connectToServer();
    socket.onMessage((text) => {
      if (String(text).includes(word)) lines.push(text);
      upstream.send(text);
    });
  });
  return lines;
}

test('the page of a server that has the engine may share memory among its workers', async () => {
  const page = await browser.newPage();
  await page.goto(server.url);
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  await page.close();
});

test('the page of a server opens a library by its own engine, and the game goes on by the server', async () => {
  const [source, file] = [join(folder, 'game.sgf'), join(folder, 'game.lib')];
  await writeFile(source, SGF);
  await promisify(execFile)(PROGRAM, ['convert', source, file]);
  const board = await Board.open(browser, server.url);
  const { page } = board;
  const lines = await sent(page, 'convert_record');
  await page.reload();
  await board.connected();
  assert.deepEqual(board.requests.filter((url) => url.endsWith('.wasm')), [], 'the engine is loaded when it is needed');
  for (const [name, words] of [['broken.lib', /begins no record/], ['game.lib', null]]) {
    await writeFile(join(folder, 'broken.lib'), 'no library');
    await page.locator('header [data-act=share]').click();
    await page.locator('#importfile').setInputFiles(join(folder, name));
    if (words) await page.locator('#importfault').filter({ hasText: words }).waitFor();
    if (words) await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  }
  await page.locator('.mv', { hasText: 'H8' }).waitFor();
  const moves = await page.locator('.mv span:not(.sr)').allTextContents();
  assert.deepEqual(moves.toSorted(), ['A15', 'H8', 'H9', 'I9', 'J9']);
  assert.deepEqual(lines, []);
  assert.equal(await page.locator('#connection span').textContent(), 'Connected');
  assert.deepEqual(board.errors, []);
  await board.close();
});

for (const kind of ['pgn', 'psq']) {
  test(`the page of a server opens a file of another program: ${kind}`, async () => {
    const [source, file] = [join(folder, 'line.sgf'), join(folder, `line.${kind}`)];
    await writeFile(source, '(;GM[4]SZ[15]RU[freestyle];B[hh];W[hg];B[ig])');
    await promisify(execFile)(PROGRAM, ['convert', source, file]);
    const board = await Board.open(browser, server.url);
    await board.page.locator('header [data-act=share]').click();
    await board.page.locator('#importfile').setInputFiles(file);
    await board.page.locator('dialog').waitFor({ state: 'detached' });
    await board.page.locator('.mv').nth(2).waitFor();
    assert.deepEqual(await board.page.locator('.mv span:not(.sr)').allTextContents(), ['H8', 'H9', 'I9']);
    assert.deepEqual(board.errors, []);
    await board.close();
  });
}

test('who chooses the engine in the browser searches nothing on the server, also after a reload', async () => {
  const board = await Board.open(browser, server.url, { hash: '#v=gomokufreestyle&s=15&m=h8i9' });
  const { page } = board;
  await page.locator('header [data-act=settings]').click();
  await page.locator('#set-engine').selectOption('page');
  await page.keyboard.press('Escape');
  await page.locator('#connection span', { hasText: 'Engine in this browser' }).waitFor();
  const lines = await sent(page, 'action');
  await page.reload();
  await board.connected();
  await board.mode('analyse');
  await page.locator('.lines tbody tr:nth-child(3) .pill').waitFor();
  await board.mode('play');
  assert.deepEqual(lines, []);
  await page.locator('header [data-act=settings]').click();
  await page.locator('#set-engine').selectOption('server');
  await page.keyboard.press('Escape');
  await page.locator('#connection span', { hasText: 'Connected' }).waitFor();
  assert.deepEqual(board.errors, []);
  await board.close();
});

test('a folder without the engine is refused by name', async () => {
  const failed = await promisify(execFile)(PROGRAM, ['serve', '--http', '127.0.0.1:0', '--tcp', '127.0.0.1:0', '--page-engine', join(folder, 'nothing')]).catch((error) => error);
  assert.equal(failed.code, 2);
  assert.match(failed.stderr, /--page-engine: .*nothing\/tengen_wasm\.js\.gz: .*"packaging\/build engine" makes the folder/);
});
