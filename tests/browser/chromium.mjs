// Runs all scenarios in one process with one browser and one server, several at a time: `npm run chromium`.
// A single file runs as `node --test scenarios/play.test.mjs`.
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { collect } from './lib/scenario.mjs';

/** How many scenarios run in parallel. */
const PAGES = Number(process.env.PAGES ?? 3);

const scenarios = collect();
const folder = new URL('scenarios/', import.meta.url);
for (const file of readdirSync(folder).sort()) await import(new URL(file, folder).href);

describe('the board in Chromium', { concurrency: PAGES }, () => {
  for (const { name, options, run } of scenarios) test(name, options, run);
});
