// Scenarios 16 and 18: import and export of records, and pictures of the board.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
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
  await board.waitForStones(3);
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
  await page.locator('#importfault', { hasText: '"openings.lib" can be opened with the engine in this browser' }).waitFor();
  await page.keyboard.press('Escape');
  assert.deepEqual(await board.stones(), ['h8 black', 'i9 white']);
}, { hash: '#v=renju&s=15&m=h8i9' });
