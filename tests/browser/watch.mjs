// Measures the memory of a run and of its page over time: `npm run watch`, for an hour, or `npm run watch -- MINUTES`. It prints a
// line every minute: finished games, memory of the arena, and the page's heap after a collection, with its elements.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch } from './lib/board.mjs';
import { startPage } from './lib/run.mjs';
import { PROGRAM } from './lib/server.mjs';

const minutes = Number(process.argv[2] ?? 60);
const folder = mkdtempSync(join(tmpdir(), 'tengen-watch-'));
const engines = ['A', 'B'].flatMap((name) => ['-engine', `cmd=${PROGRAM}`, `name=${name}`]);
const { url, end, pid } = await startPage(folder, [...engines, '-each', 'nodes=2000', '-variant', 'gomokufreestyle', '-rounds', '100000', '-out', 'run', '-page', '127.0.0.1:0']);
const browser = await launch();
const page = await browser.newPage();
await page.goto(url);
const session = await page.context().newCDPSession(page);
console.log('minute,games,arena_kib,heap_kib,elements');
for (let minute = 0; minute <= minutes; minute++) {
  if (minute) await sleep(60_000);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  const [, resident] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  const { done } = await page.evaluate(async () => (await fetch('run/run.json')).json());
  console.log([minute, done, resident, Math.round(usedSize / 1024), nodes].join(','));
}
await browser.close();
end();
rmSync(folder, { recursive: true, force: true });
