// Scenarios 16 and 18: import and export of records, and pictures of the board.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { gamesOf } from '../../../web/page/js/record/collection.js';
import { readSgf } from '../../../web/page/js/record/sgf.js';
import { scenario } from '../lib/scenario.mjs';

const RECORD = '(;FF[4]CA[UTF-8]AP[Tengen]GM[4]SZ[15]RU[renju];B[hh]C[first \\] stone](;W[ig]BM[2];B[ii])(;W[gg]DO[](;B[fh])(;B[gh]C[deep])))';

async function openShare(board) {
  await board.page.locator('header [data-act=share]').click();
  await board.page.locator('dialog').waitFor();
}

/** Saves a file of a kind from the dialog and returns its content. */
async function saved(board, kind) {
  const [download] = await Promise.all([board.page.waitForEvent('download'), board.page.locator(`[data-save=${kind}]`).click()]);
  return readFile(await download.path());
}

scenario('16 a record with variations and comments is exported as it was imported', async (board) => {
  const { page } = board;
  await openShare(board);
  await page.locator('#import').fill(RECORD);
  await page.locator('[data-load]').click();
  await board.waitForStones(1);
  await page.locator('.sideline').nth(1).waitFor();
  assert.equal(await page.locator('.sideline').count(), 2);
  await openShare(board);
  const text = (await saved(board, 'sgf')).toString();
  const plain = text.replace(/SBKV\[[\d.]+\]|P[BW]\[\w+\]|\s+$/g, '');
  assert.equal(plain, RECORD);
});

scenario('16 a broken record names line and character and changes nothing', async (board) => {
  const { page } = board;
  await openShare(board);
  await page.locator('#import').fill('(;GM[4]SZ[15]\n;B[hh];W[zz])');
  await page.locator('[data-load]').click();
  await page.locator('#importfault').filter({ hasText: 'Line 2, character 10: "zz" is not a point of this board' }).waitFor();
  assert.match(await page.locator('#import').inputValue(), /zz/);
  assert.deepEqual(await board.stones(), ['h8 black']);
}, { hash: '#v=renju&s=15&m=h8' });

/** A record with 60 games; the game with the number 40 is broken. */
const COLLECTION = Array.from({ length: 60 }, (_, n) => `(;GM[4]SZ[15]RU[renju]PB[Black ${n + 1}]PW[White \\] ${n + 1}]RE[${n % 2 ? 'W+R' : 'B+'}]DT[20${10 + (n % 10)}]C[a (note\\]];B[hh];W[${n === 39 ? 'zz' : 'hg'}])`).join('\n');

scenario('a file with 60 games shows a list with players, results and a search', async (board) => {
  const { page } = board;
  await openShare(board);
  await page.locator('#importfile').setInputFiles({ name: 'games.sgf', mimeType: 'application/x-go-sgf', buffer: Buffer.from(COLLECTION) });
  const list = page.locator('.collection li');
  await list.nth(59).waitFor();
  assert.equal(await list.nth(1).textContent(), '2. Black 2 – White ] 2W+R, 2011');
  await page.locator('#collectionsearch').fill('black 7 b+');
  await page.locator('#collectioncount', { hasText: '1 game' }).waitFor();
  await list.first().locator('button').click();
  await board.waitForStatus(/Game 7 of 60 of the file is open/);
  assert.deepEqual(await board.waitForStones(2), ['h8 black', 'h9 white']);
  assert.match(await page.locator('.title').innerText(), /Black 7 – White \] 7/);
  await openShare(board);
  for (const kind of ['sgf', 'svg']) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`[data-save=${kind}]`).click()]);
    assert.equal(download.suggestedFilename(), `Black-7-White-7-2016.${kind}`);
  }
  await page.keyboard.press('Escape');
  await page.locator('#tab-moves, .mv').first().waitFor({ state: 'attached' });
  // The list can be opened again, and a broken game names its place in the file.
  await page.locator('#choices button', { hasText: 'Games from files' }).click();
  await list.nth(39).locator('button').click();
  await board.waitForStatus(/Line 40, character \d+: "zz" is not a point/);
  assert.deepEqual(await board.stones(), ['h8 black', 'h9 white']);
});

scenario('several files are open at once: a list goes from one game to another, and each keeps its changes', async (board) => {
  const { page } = board;
  await openShare(board);
  const record = (name, points) => ({ name, mimeType: 'application/x-go-sgf', buffer: Buffer.from(`(;GM[4]SZ[15]PB[${name[0]}]${points})`) });
  await page.locator('#importfile').setInputFiles([record('Anna.sgf', ';B[hh];W[hg]'), record('Ben.sgf', ';B[aa]'), { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('h8i9j7') }]);
  const list = page.locator('.collection li');
  await list.nth(2).waitFor();
  assert.deepEqual(await list.allTextContents(), ['1. A – ?Anna.sgf', '1. B – ?Ben.sgf', '1. game 1list.txt']);
  await page.locator('#collectionsearch').fill('anna');
  await list.first().locator('button').click();
  await board.waitForStones(2);
  await board.clickWhenFree('c3');
  await board.waitForStones(3);
  const choose = async (name) => {
    await page.locator('.moves [data-act=more]').click();
    await page.locator('dialog [data-more=collection]').click();
    await list.filter({ hasText: name }).locator('button').click();
    await page.locator('dialog').waitFor({ state: 'detached' });
  };
  await choose('Ben.sgf');
  assert.deepEqual(await board.waitForStones(1), ['a15 black']);
  await page.locator('.moves [data-act=more]').click();
  await page.locator('dialog [data-more=collection]').click();
  assert.equal(await page.locator('.collection [aria-current=true]').textContent(), '1. B – ?');
  await page.keyboard.press('Escape');
  await choose('Anna.sgf');
  assert.deepEqual(await board.waitForStones(3), ['h8 black', 'h9 white', 'c3 black']);
});

scenario('of several files one is broken: its name and place are told, and nothing is opened', async (board) => {
  const { page } = board;
  await openShare(board);
  const record = (name, text) => ({ name, mimeType: 'application/x-go-sgf', buffer: Buffer.from(text) });
  await page.locator('#importfile').setInputFiles([record('good.sgf', '(;GM[4]SZ[15];B[hh])'), record('bad.sgf', '(;GM[4]SZ[15];B[zz])')]);
  await page.locator('#importfault', { hasText: '"bad.sgf": Line 1, character' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.moves [data-act=more]').click();
  assert.ok(await page.locator('dialog [data-more=collection]').isDisabled());
});

scenario('My games are searched by players, game and result, and saved as one collection', async (board) => {
  const { page } = board;
  for (const text of ['(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Ben]RE[B+R];B[hh];W[hg])', '(;SZ[3]RU[tictactoe]PB[Carl];B[aa];W[ab];B[ba];W[bb];B[ca])']) {
    await openShare(board);
    await page.locator('#import').fill(text);
    await page.locator('[data-load]').click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.locator('body[data-mode=analyse]').waitFor();
  }
  await board.waitForStones(5);
  await page.locator('.moves [data-act=more]').click();
  await page.locator('dialog [data-more=games]').click();
  const rows = page.locator('.games tbody tr:visible');
  const count = page.locator('#gamescount');
  for (const [words, left] of [['anna', /Anna – Ben/], ['renju black won', /Anna – Ben/], ['tic', /Carl/], ['', /./]]) {
    await page.locator('#gamessearch').fill(words);
    await count.filter({ hasText: words ? /^1 game$/ : /^2 games$/ }).waitFor();
    assert.match(await rows.first().innerText(), left);
  }
  await page.locator('#gamessearch').fill('nobody');
  await count.filter({ hasText: /^0 games$/ }).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#gamessave').click()]);
  assert.equal(download.suggestedFilename(), 'tengen-games.sgf');
  await count.filter({ hasText: /is saved/ }).waitFor();
  const text = await readFile(await download.path(), 'utf8');
  assert.deepEqual(gamesOf(text).map(({ first, second }) => [first, second]), [['Carl', ''], ['Anna', 'Ben']]);
  for (const game of gamesOf(text)) assert.ok(readSgf(game.text).root.children.length);
});

/** Compares a picture with the board on the page. Returns the share of pixels that differ, the width and the expected width. */
async function difference(board, file, type, scale) {
  const box = board.page.locator('.box');
  await board.page.evaluate(() => document.querySelector('dialog')?.close());
  const screen = await box.screenshot({ animations: 'disabled' });
  return board.page.evaluate(async ([one, two, kind, factor]) => {
    const image = async (base64, mime) => {
      const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
      const picture = new Image();
      picture.src = URL.createObjectURL(new Blob([bytes], { type: mime }));
      await picture.decode();
      return picture;
    };
    const [saved_, shot] = [await image(one, kind), await image(two, 'image/png')];
    const size = 300;
    const pixels = (picture) => {
      const canvas = new OffscreenCanvas(size, size);
      const draw = canvas.getContext('2d');
      draw.drawImage(picture, 0, 0, size, size);
      return draw.getImageData(0, 0, size, size).data;
    };
    const [a, b] = [pixels(saved_), pixels(shot)];
    let differ = 0;
    for (let i = 0; i < a.length; i += 4) {
      if (Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 90) differ++;
    }
    return { share: differ / (size * size), width: saved_.naturalWidth, expected: 624 * factor };
  }, [file.toString('base64'), screen.toString('base64'), type, scale]);
}

for (const theme of ['light', 'dark']) {
  scenario(`18 SVG and PNG equal the board, ${theme}`, async (board) => {
    const { page } = board;
    await page.locator('.picture .cross').waitFor();
    await openShare(board);
    await page.locator('#scale').selectOption('2');
    const png = await saved(board, 'png');
    const vector = await saved(board, 'svg');
    const bitmap = await difference(board, png, 'image/png', 2);
    assert.equal(bitmap.width, bitmap.expected);
    assert.ok(bitmap.share < 0.01, `PNG differs in ${bitmap.share}`);
    const drawing = await difference(board, vector, 'image/svg+xml', 1);
    assert.ok(drawing.share < 0.01, `SVG differs in ${drawing.share}`);
  }, { hash: '#v=renju&s=15&m=g8a1i8a3h7a5h9a7', colorScheme: theme });
}

/** Reads the blocks of a GIF: its size, how long each frame is shown, in ms, and whether the file ends with its last block. @param {Buffer} file */
function readGif(file) {
  assert.equal(file.toString('latin1', 0, 6), 'GIF89a');
  const skipBlocks = (from) => {
    let at = from;
    while (file[at] > 0) at += file[at] + 1;
    return at + 1;
  };
  const delays = [];
  let frames = 0;
  let at = 13 + 3 * 2 ** ((file[10] & 7) + 1);
  while (file[at] === 0x21 || file[at] === 0x2c) {
    if (file[at] === 0x21) {
      if (file[at + 1] === 0xf9) delays.push(10 * file.readUInt16LE(at + 4));
      at = skipBlocks(at + 2);
    } else {
      const isWhole = [5, 7].every((n) => file.readUInt16LE(at + n) === file.readUInt16LE(n + 1));
      assert.equal(isWhole, frames === 0, 'the first frame has the size of the picture, the others hold what changed');
      frames++;
      at = skipBlocks(at + 11);
    }
  }
  assert.equal(frames, delays.length);
  return { width: file.readUInt16LE(6), height: file.readUInt16LE(8), delays, isWhole: file[at] === 0x3b && at === file.length - 1 };
}

scenario('18 a moving picture has a frame for each position, and the last one is the board', async (board) => {
  const { page } = board;
  await page.locator('.stone').nth(2).waitFor();
  await openShare(board);
  const moving = await saved(board, 'gif');
  assert.deepEqual(readGif(moving), { width: 624, height: 624, delays: [800, 800, 800, 3000], isWhole: true });
  const facts = await page.evaluate(async (base64) => {
    const data = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    const decoder = new ImageDecoder({ data, type: 'image/gif' });
    await decoder.tracks.ready;
    const { frameCount } = decoder.tracks.selectedTrack;
    const draw = new OffscreenCanvas(624, 624).getContext('2d');
    const pixel = async (frameIndex, x, y) => {
      draw.drawImage((await decoder.decode({ frameIndex })).image, 0, 0);
      return [...draw.getImageData(x, y, 1, 1).data.slice(0, 3)];
    };
    const at = (c, r) => [32 + 40 * c - 10, 32 + 40 * (14 - r) - 10];
    return { frameCount, empty: await pixel(0, ...at(7, 7)), black: await pixel(3, ...at(7, 7)), white: await pixel(3, ...at(8, 8)) };
  }, moving.toString('base64'));
  assert.equal(facts.frameCount, 4);
  const light = ([r, g, b]) => (r + g + b) / 3;
  assert.ok(light(facts.black) < 110 && light(facts.white) > 220 && light(facts.empty) > 130 && light(facts.empty) < 220, JSON.stringify(facts));
}, { hash: '#v=gomokufreestyle&s=15&m=h8i9j7' });

scenario('18 a moving picture of four in a row shows the variation that is shown', async (board) => {
  await board.page.locator('.stone').nth(2).waitFor();
  await board.mode('analyse');
  await board.page.locator('.nav [data-act=back]').click();
  await board.waitForStones(2);
  await board.clickWhenFree('a1');
  await board.waitForStones(3);
  await openShare(board);
  const { width, height, delays, isWhole } = readGif(await saved(board, 'gif'));
  assert.ok(isWhole && width > height, `${width} x ${height}`);
  assert.deepEqual(delays, [800, 800, 800, 3000]);
}, { hash: '#v=cfour&s=7x6&m=d1d2d3' });

scenario('a file of another program: a server refuses it with what to do, and the game stays', async (board) => {
  const { page } = board;
  await page.locator('header [data-act=share]').click();
  await page.locator('#importfile').setInputFiles({ name: 'openings.lib', mimeType: 'application/octet-stream', buffer: Buffer.from([255, ...Buffer.from('RenLib'), 255, 3, 4]) });
  await page.locator('#importfault', { hasText: 'This server does not convert "openings.lib". "tengen convert" makes SGF of it.' }).waitFor();
  await page.keyboard.press('Escape');
  assert.deepEqual(await board.stones(), ['h8 black', 'i9 white']);
}, { hash: '#v=renju&s=15&m=h8i9' });

scenario('a file that is longer than the server takes is not sent, is named, and the game goes on', async (board) => {
  const { page } = board;
  const sent = [];
  let sockets = 0;
  page.on('websocket', (socket) => {
    sockets++;
    socket.on('framesent', ({ payload }) => sent.push(String(payload)));
  });
  await page.reload();
  await board.connected();
  await board.newGame({ variant: 'gomokufreestyle', level: 0 });
  await page.locator('header [data-act=share]').click();
  await page.locator('#importfile').setInputFiles({ name: 'openings.lib', mimeType: 'application/octet-stream', buffer: Buffer.concat([Buffer.from([255, ...Buffer.from('RenLib'), 255, 3, 4]), Buffer.alloc(97_000, 7)]) });
  await page.locator('#importfault', { hasText: '"openings.lib"' }).waitFor();
  await page.keyboard.press('Escape');
  assert.ok(sent.every((line) => line.length <= 65_536), `${Math.max(...sent.map((line) => line.length))} bytes`);
  await board.clickWhenFree('h8');
  await board.waitForStones(2);
  assert.equal(sockets, 1, 'the connection stayed open');
  assert.equal(new Set(sent.filter((line) => line.includes('convert_record'))).size, sent.filter((line) => line.includes('convert_record')).length, 'nothing is sent twice');
}, { skip: process.env.TENGEN_SITE ? 'skipped: a site has no server' : false });
