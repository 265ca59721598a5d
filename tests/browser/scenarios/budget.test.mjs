// Scenario 24: the budget of the page. The number of frames is printed but not limited, because it depends on the load of
// the machine.
import assert from 'node:assert/strict';
import { scenario } from '../lib/scenario.mjs';


scenario('24 the first load stays in its budget', async (board) => {
  const { page } = board;
  const first = await page.evaluate(() => performance.getEntriesByName('tengen.started')[0].startTime + 900);
  const sizes = await page.evaluate(() => [performance.getEntriesByType('navigation')[0], ...performance.getEntriesByType('resource')]
    .map((entry) => ({ name: new URL(entry.name).pathname, start: entry.startTime, bytes: entry.decodedBodySize, sent: entry.encodedBodySize })));
  // The browser loads the icon of the tab after the page.
  // The page loads its other files one second after its start.
  const loaded = sizes.filter((entry) => entry.name !== '/icon.svg' && entry.start < first);
  const total = (list, key) => list.reduce((sum, entry) => sum + entry[key], 0);
  const kind = (end) => total(loaded.filter((entry) => entry.name.endsWith(end)), 'bytes');
  const facts = { requests: loaded.length, bytes: total(loaded, 'bytes'), sent: total(loaded, 'sent'), html: loaded[0].bytes, css: kind('.css'), js: kind('.js'), language: kind('.json') };
  console.log(JSON.stringify(facts));
  assert.ok(facts.requests <= 10, `${facts.requests} requests: ${loaded.map((entry) => entry.name)}`);
  assert.ok(facts.bytes < 100_000, `${facts.bytes} bytes`);
}, { fresh: true });

scenario('24 a full 22x22 board has fewer than 3,000 elements', async (board) => {
  const { page } = board;
  await page.locator('.stone').nth(483).waitFor();
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length - document.querySelectorAll('#moves *, #graphtable *').length);
  console.log(JSON.stringify({ nodes }));
  assert.ok(nodes < 3000, `${nodes} nodes`);
}, { hash: `#v=custom&s=22&k=26&m=${Array.from({ length: 484 }, (_, i) => String.fromCharCode(97 + (i % 22)) + (Math.floor(i / 22) + 1)).join('')}` });

scenario('24 a press shows its stone, and nothing shifts', async (board) => {
  const { page } = board;
  await board.hover('c3');
  await page.evaluate(() => {
    globalThis.shift = 0;
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) { globalThis.shift += entry.value; globalThis.moved = entry.sources.map(({ node }) => node?.id || node?.className || node?.nodeName); } }).observe({ type: 'layout-shift', buffered: true });
    globalThis.frames = new Promise((resolve) => {
      addEventListener('pointerup', () => {
        let frames = 0;
        const look = () => {
          frames++;
          if (document.querySelector('.l-stones .stone')) resolve(frames);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }, { capture: true, once: true });
    });
  });
  await board.clickWhenFree('h8');
  const frames = await page.evaluate(() => globalThis.frames);
  const { shift, moved } = await page.evaluate(() => ({ shift: globalThis.shift, moved: globalThis.moved }));
  console.log(JSON.stringify({ frames, shift, moved }));
  assert.equal(Math.round(shift * 1000), 0, `shift ${shift}: ${moved}`);
});
