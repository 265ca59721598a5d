// In Firefox: files (several games, one that is too long, a library), the explorer on a desktop and on a phone, tic-tac-toe, the
// engine in the page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startFirefox } from '../lib/firefox.mjs';
import { PROGRAM, startServer } from '../lib/server.mjs';
import { EXPLORER, skip, withShelf } from '../lib/shelf.mjs';

/** A folder of the engine for browsers: of the site that `TENGEN_SITE` names. */
const ENGINE = process.env.TENGEN_SITE && join(process.env.TENGEN_SITE, 'js/protocol/engine');
const NAMES = ['tengen_wasm', 'tengen_threads'].flatMap((name) => [`${name}.js`, `${name}_bindings.js`, `${name}_bg.wasm`]).concat('cfour.book');

let firefox;
let server;
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'board-firefox-files-'));
  const engine = ENGINE ? ['--page-engine', folder] : [];
  if (ENGINE) for (const name of NAMES) await writeFile(join(folder, `${name}.gz`), gzipSync(await readFile(join(ENGINE, name)), { level: 1 }));
  [firefox, server] = await Promise.all([startFirefox(), startServer({ options: ['--workers', '2', '--hash', '16', ...engine] })]);
  await firefox.setViewport(1366, 768);
});
after(async () => {
  await firefox?.close();
  await server?.kill();
  await rm(folder, { recursive: true });
});

const status = (words) => firefox.until(`${String(words)}.test(document.getElementById('status').textContent)`);
/** Opens the board of a server, as a user who has been there. @param {string} [hash] @param {string} [url] */
async function open(hash = '', url = server.url) {
  await firefox.open(`${url}icon.svg`);
  await firefox.value("(localStorage.clear(), sessionStorage.clear(), localStorage.setItem('tengen.start', 'play'), true)");
  await firefox.open(url + hash);
  await firefox.until("document.querySelector('#connection[data-state=open]') !== null");
}
/** Opens a file by the dialog of sharing. @param {string} name @param {string | Buffer} content */
async function openFile(name, content) {
  await writeFile(join(folder, name), content);
  await firefox.press('header [data-act=share]');
  await firefox.until("document.querySelector('dialog #importfile') !== null");
  await firefox.setFiles('#importfile', [join(folder, name)]);
}
/** Opens a dialog from the list of further actions. @param {string} act */
async function further(act) {
  await firefox.until(`[...document.querySelectorAll('[data-act=more]')].some((button) => button.checkVisibility())`);
  await firefox.value("([...document.querySelectorAll('[data-act=more]')].find((button) => button.checkVisibility()).click(), true)");
  await firefox.until(`document.querySelector('dialog [data-more=${act}]') !== null`);
  await firefox.press(`dialog [data-more=${act}]`);
}

test('a file with several games opens a list with a search', async () => {
  await open();
  await openFile('games.sgf', Array.from({ length: 60 }, (_, n) => `(;GM[4]SZ[15]RU[renju]PB[Black ${n + 1}]PW[White]RE[B+];B[hh];W[hg])`).join(''));
  await firefox.until("document.querySelectorAll('.collection li').length === 60");
  await firefox.value("(() => { const field = document.getElementById('collectionsearch'); field.value = 'black 7 '; field.dispatchEvent(new Event('input', { bubbles: true })); return true; })()");
  await firefox.until("document.querySelectorAll('.collection li').length === 1");
  await firefox.press('.collection li button');
  await status(/Game 7 of 60 of the file is open/);
  await firefox.waitForStones(2);
});

test('a file that is longer than the server takes is named and not sent, and the game goes on', { skip: ENGINE && 'the engine in the page reads it' }, async () => {
  await open('#v=gomokufreestyle&s=15');
  await openFile('openings.lib', Buffer.concat([Buffer.from([255, ...Buffer.from('RenLib'), 255, 3, 4]), Buffer.alloc(97_000, 7)]));
  await firefox.until("document.getElementById('importfault')?.textContent.includes('\"openings.lib\"')");
  await firefox.keys('\uE00C');
  await firefox.until("document.querySelector('dialog') === null && !document.getElementById('board').classList.contains('locked')");
  await firefox.click(await firefox.at('h8'));
  await firefox.waitForStones(1);
});

test('the explorer shows bars of results, and on a phone it opens where the user sees it', { skip }, () =>
  withShelf({ page: { goto: (url) => firefox.open(url) }, connected: () => firefox.until("document.querySelector('#connection[data-state=open]') !== null") }, async (_, { url }) => {
    await open('#v=renju&s=15&m=h8i9', url);
    await further('explorer');
    await firefox.until(`document.querySelectorAll('${EXPLORER} tbody tr').length > 1`);
    const [bar, won] = await firefox.value(`(() => { const bar = document.querySelector('${EXPLORER} [role=img][aria-label^="1 won"]'); return [bar, bar.querySelector('span')].map((node) => node.getBoundingClientRect().width); })()`);
    assert.ok(won > 0.9 * bar && bar > 10, `${won} of ${bar}`);
    await firefox.setViewport(390, 664);
    await firefox.press('header [data-mode=analyse]');
    await further('explorer');
    await firefox.until(`(({ top, bottom }) => top >= 0 && top < innerHeight - 100 && bottom > top)(document.querySelector('${EXPLORER}').getBoundingClientRect()) && document.activeElement.id === 'explorercard'`);
    await firefox.setViewport(1366, 768);
  }));

test('tic-tac-toe is played in cells, with X and O', async () => {
  await open('#v=tictactoe&s=3x3&m=b2');
  await firefox.until("document.querySelectorAll('.l-stones > .stone').length >= 1");
  assert.match(await firefox.value("document.querySelector('[role=gridcell][aria-label^=\"B2\"]').getAttribute('aria-label')"), /^B2, X, move 1/);
});

test('the engine in the page opens a library, and searches', { skip: !ENGINE && 'TENGEN_SITE names no site' }, async () => {
  const [source, library] = ['tree.sgf', 'tree.lib'].map((name) => join(folder, name));
  await writeFile(source, '(;GM[4]SZ[15]RU[renju];B[hh];W[hg](;B[ig];W[aa])(;B[jg]))');
  execFileSync(PROGRAM, ['convert', source, library]);
  await open('#v=renju&s=15&m=h8i9');
  await openFile('library.lib', await readFile(library));
  await firefox.until("document.querySelectorAll('ol.continued li').length === 2");
  await further('settings');
  await firefox.until("document.getElementById('set-engine') !== null");
  await firefox.value("(() => { const field = document.getElementById('set-engine'); field.value = 'page'; field.dispatchEvent(new Event('change', { bubbles: true })); return true; })()");
  await firefox.keys('\uE00C');
  await firefox.until("/Engine in this browser/.test(document.getElementById('connection').textContent)");
  await firefox.press('[data-mode=analyse]');
  await firefox.until("document.querySelectorAll('.lines tbody .pill').length >= 3");
});
