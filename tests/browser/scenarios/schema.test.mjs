// The types of the page are those of the schema that the program prints.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { scenario } from '../lib/scenario.mjs';
import { FILE, make } from '../types.mjs';

scenario('the types of the protocol are those of the schema', async () => {
  assert.equal(readFileSync(FILE, 'utf8'), make(), 'run `npm --prefix tests/browser run make-types`');
});
