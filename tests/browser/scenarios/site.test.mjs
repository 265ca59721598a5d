// The page without a server: it finds the engine in the page, which loads when it is first needed.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Board } from '../lib/board.mjs';
import { scenario } from '../lib/scenario.mjs';
import { serveSite } from '../lib/site.mjs';

/** Opens the page of a static host and runs `run`. */
async function onSite(browser, { takes, ...options }, run) {
  const site = await serveSite(takes);
  const board = await Board.open(browser, site.url, { connects: false, ...options });
  try {
    await board.page.locator('#connection', { hasText: 'Engine in this browser' }).waitFor();
    await run(board, site);
    assert.deepEqual(board.errors, []);
    assert.ok(!site.asked.includes('/v1/ws'), 'a site has no server to ask for');
  } finally {
    await board.close();
    site.close();
  }
}

scenario('site: without a server the page plays with its own engine, which loads at the first touch', async (_, { browser }) => {
  await onSite(browser, {}, async (board, site) => {
    assert.ok(!site.asked.some((path) => path.includes('/engine/')), 'the engine is not loaded yet');
    await board.clickWhenFree('h8');
    assert.deepEqual(await board.waitForStones(2), ['h8 black', 'a1 white']);
    await board.waitForStatus(/Your turn/);
    assert.ok(site.asked.includes('/js/protocol/engine/engine.wasm'));
  });
});

scenario('site: an analysis stops, the next position is searched, and a reload goes on', async (_, { browser }) => {
  await onSite(browser, { hash: '#v=gomokufreestyle&s=15&m=h8i9j7' }, async (board) => {
    const { page } = board;
    await board.mode('analyse');
    // The table has the size of the settings.
    await board.until(() => /depth 64/.test(document.querySelector('.facts')?.textContent ?? ''));
    await page.locator('.search button:not(.link)').click();
    await page.locator('.search .i-play').waitFor();
    await page.locator('.search button:not(.link)').click();
    await page.locator('.search .i-pause').waitFor();
    await page.locator('.lines tbody tr').click();
    assert.equal((await board.waitForStones(4))[3], 'a1 white');
    await page.locator('.lines tbody th', { hasText: 'B1' }).waitFor();
    await page.reload();
    await page.locator('#connection', { hasText: 'Engine in this browser' }).waitFor();
    await board.waitForStones(4);
  });
});

scenario('site: the user can choose the server, and sees that there is none', async (_, { browser }) => {
  await onSite(browser, {}, async (board, site) => {
    await board.page.locator('header [data-act=settings]').click();
    await board.page.locator('#set-engine').selectOption('server');
    await board.page.locator('#connection[data-state=gone]').waitFor();
    assert.ok(site.asked.includes('/v1/ws'));
    site.asked.length = 0;
    // The browser tells the missing address.
    board.errors.length = 0;
    await board.page.locator('#set-engine').selectOption('page');
    await board.page.locator('#connection', { hasText: 'Engine in this browser' }).waitFor();
  });
});

scenario('site: on a host that compresses the page tells how much of the engine is loaded', async (_, { browser }) => {
  const packed = gzipSync(randomBytes(1000));
  /** @type {import('node:http').ServerResponse | undefined} */
  let response;
  const takes = (path, one) => {
    // The second worker gets the file at once.
    if (!path.endsWith('engine.wasm') || response) return false;
    response = one.writeHead(200, { 'content-type': 'application/wasm', 'content-encoding': 'gzip' });
    one.write(packed.subarray(0, 560));
    return true;
  };
  await onSite(browser, { takes }, async (board) => {
    await board.click('h8');
    await board.waitForStatus(/The engine is loading: 50 %/);
    response?.end(packed.subarray(560));
    assert.deepEqual(await board.waitForStones(2), ['h8 black', 'a1 white']);
  });
});

scenario('site: the policy lets the worker of the page run and no other script', async (_, { browser }) => {
  await onSite(browser, {}, async (board) => {
    const refused = await board.page.evaluate(() => {
      try {
        new Worker('js/main.js');
        return 'started';
      } catch (error) {
        return error.name;
      }
    });
    assert.equal(refused, 'TypeError');
    await board.clickWhenFree('h8');
    await board.waitForStones(2);
    // The refusal is what is tested.
    board.errors.length = 0;
  });
});

/** The service worker of a site whose only file is its page. */
const WORKER = readFileSync(new URL('../../../packaging/site/offline.js', import.meta.url), 'utf8').replace("'VERSION'", "'1'").replace("['FILES']", "['./']").replace("['ALONE']", '[]').replace("['SHARED']", '[]').replace("['LATER']", '[]');

/** Serves the worker and the script that starts it, and the page with this script without its policy, so that a test may send a form. */
function takesWorker(path, response) {
  const source = (name) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
  const head = '<meta charset="utf-8"><link rel="manifest" href="manifest.webmanifest"><script type="module" src="start-offline.js" async></script>';
  const own = {
    '/': () => ['text/html', source('web/page/index.html').replace('<meta charset="utf-8">', head)],
    '/offline.js': () => ['text/javascript', WORKER],
    '/start-offline.js': () => ['text/javascript', source('packaging/site/start-offline.js')],
  }[path]?.();
  if (own) response.writeHead(200, { 'content-type': own[0] }).end(own[1]);
  return Boolean(own);
}

scenario('site: a browser that blocks service workers plays, and is offered no new version', async (_, { browser }) => {
  await onSite(browser, { takes: takesWorker, serviceWorkers: 'block' }, async (board, site) => {
    await board.clickWhenFree('h8');
    await board.waitForStones(2);
    assert.ok(site.asked.includes('/start-offline.js') && !site.asked.includes('/offline.js'));
    assert.equal(await board.page.evaluate(() => navigator.serviceWorker.getRegistration().then((one) => one === undefined)), true);
    assert.ok(await board.page.locator('#banner').isHidden());
  });
});

scenario('site: a file that another application shares with the installed page is opened, once', async (_, { browser }) => {
  await onSite(browser, { takes: takesWorker, hash: '#v=gomokufreestyle&s=15&m=h8' }, async (board) => {
    const { page } = board;
    await board.until(() => navigator.serviceWorker.controller !== null);
    await page.evaluate(() => {
      const form = Object.assign(document.createElement('form'), { action: 'share', method: 'POST', enctype: 'multipart/form-data' });
      const field = Object.assign(document.createElement('input'), { type: 'file', name: 'files' });
      const files = new DataTransfer();
      files.items.add(new File(['(;GM[4]SZ[15]PB[Anna];B[aa];W[bb])'], 'shared.sgf'));
      field.files = files.files;
      form.append(field);
      document.body.append(form);
      form.submit();
    });
    assert.deepEqual(await board.waitForStones(2), ['a15 black', 'b14 white']);
    assert.equal(new URL(page.url()).search, '');
    assert.deepEqual((await page.evaluate(() => caches.keys())).filter((name) => name === 'shared-files'), []);
  });
});

scenario('site: Chromium finds no fault in the manifest, and takes what is shared', async (_, { browser }) => {
  const manifest = readFileSync(new URL('../../../packaging/site/manifest.webmanifest', import.meta.url), 'utf8');
  const takes = (path, response) => {
    if (path !== '/manifest.webmanifest') return false;
    response.writeHead(200, { 'content-type': 'application/manifest+json' }).end(manifest);
    return true;
  };
  await onSite(browser, { takes }, async ({ page, context, url }) => {
    const session = await context.newCDPSession(page);
    const { errors, manifest: read } = await session.send('Page.getAppManifest');
    assert.deepEqual(errors, []);
    // This build of Chromium does not tell which files it takes.
    const [{ action, accept }] = JSON.parse(manifest).file_handlers;
    assert.deepEqual([action, Object.values(accept).flat().sort()], ['./', ['.lib', '.pgn', '.psq', '.sgf']]);
    assert.equal(read.shareTarget.action, `${url}share`);
    assert.equal(read.shareTarget.method, 'kPost');
  });
});

scenario('site: files that the system opens with the installed page are opened', async (board, { browser }) => {
  await onSite(browser, {}, async ({ page, context, url }) => {
    await page.close();
    const launched = new Board(context, await context.newPage(), url);
    await launched.page.addInitScript(() => {
      const handle = (name, text) => ({ getFile: async () => new File([text], name) });
      const files = [handle('one.sgf', '(;GM[4]SZ[15]PB[Anna];B[aa];W[bb])'), handle('two.sgf', '(;GM[4]SZ[15]PB[Ben];B[hh])')];
      Object.defineProperty(globalThis, 'launchQueue', { value: { setConsumer: (take) => take({ files }) } });
    });
    await launched.page.goto(url);
    await launched.page.locator('.collection li', { hasText: 'Ben' }).locator('button').click();
    assert.deepEqual(await launched.waitForStones(1), ['h8 black']);
  });
});
