// Runs scenarios of the board on the site: a static host, and the engine in the page. `TENGEN_SITE=FOLDER node --test site/scenarios.mjs`
// runs ten of them, with `SITE_SCENARIOS=all` all that need no server of their own.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { collect } from '../lib/scenario.mjs';

/** How many scenarios run in parallel. Each page has an engine that searches. */
const PAGES = Number(process.env.PAGES ?? 2);

/** The beginnings of the names of the ten. */
const TEN = ['1 renju to the end by mouse', '2 renju to the end by keys', '4 touch: a tap elsewhere', '8 discs equal the lines', '10 misere', '11 tic', '16 a record with variations', '17 review of a game', 'journey 10: play from here', 'opening rif against the engine, you are the second'];

/** Files whose scenarios are about a server or the site itself: its files, its cache, its connection, its types, a run of the arena. */
const OF_THE_SERVER = ['budget', 'cache', 'connection', 'run', 'schema', 'site', 'slow'];
/** Scenarios that cannot run without a server, by the reason. */
const WITH_SERVER = {
  'they change messages between page and server': [/^12 swap2, you open and the engine's choice/, /^20 (axe|classes|forced|more contrast)/, /^journey (8|13):/, /^13 a fallen clock ends the game for the engine/, /sizes of the server/, /sizes that the server/, /when the server has told its rules/, /^edit: the balanced move/, /a warning that comes before/, /^on a phone the board and what is below/],
  'they read the messages that the page sends to a server': [/^7 undo/, /^journey 4:/, /^a drag with Shift/],
  'they end a server': [/^journey 7:/, /the server dies/],
  'a server refuses what the engine in the page does; `files.test.mjs` has that': [/^a file of another program/, /^threats: what the opponent/],
};

const scenarios = collect();
const folder = new URL('../scenarios/', import.meta.url);
const files = readdirSync(folder).filter((name) => !OF_THE_SERVER.some((one) => name.startsWith(one)));
for (const file of files.sort()) await import(new URL(file, folder).href);

const all = process.env.SITE_SCENARIOS === 'all';
const chosen = all ? scenarios.filter(({ name }) => !Object.values(WITH_SERVER).flat().some((pattern) => pattern.test(name))) : TEN.map((begin) => {
  const found = scenarios.filter(({ name }) => name.startsWith(begin));
  assert.equal(found.length, 1, `${begin}: ${found.length} scenarios`);
  return found[0];
});

describe('the board on the site, in Chromium', { concurrency: PAGES }, () => {
  for (const { name, options, run } of chosen) test(name, options, run);
});
