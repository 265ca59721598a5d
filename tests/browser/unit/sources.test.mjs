// The sources of the page: what the server relies on when it sends them, and what the policy forbids.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

const page = new URL('../../../web/page/', import.meta.url);
const read = (name) => readFileSync(new URL(name, page), 'utf8');
const modules = readdirSync(new URL('js/', page));

/** The text as a server sends it. */
const sent = (text) => text.replace(/\/\*[\s\S]*?\*\/ ?/g, '').split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('//')).join('\n');

test('modules without comments are the same programs', async () => {
  for (const name of modules) {
    const text = read(`js/${name}`);
    const lines = text.split('\n');
    for (const line of lines) assert.equal((line.replace(/\\`/g, '').match(/`/g) ?? []).length % 2, 0, `${name}: a text over several lines: ${line}`);
    const plain = sent(text);
    assert.ok(!/\/\*|\*\//.test(plain), `${name}: a sign of a comment is left`);
    await assert.doesNotReject(import(`data:text/javascript,${encodeURIComponent(plain.replace(/^import .*?;$/gm, ''))}`).catch((error) => {
      if (error instanceof SyntaxError) throw new Error(`${name}: ${error.message}`);
    }));
  }
});

test('no module writes markup or scripts', () => {
  for (const name of modules) {
    assert.ok(!/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\('style'/.test(sent(read(`js/${name}`))), name);
  }
  assert.ok(!/ style=| on\w+=|<script>|javascript:/.test(read('index.html')));
});

test('no file of the page names another host', () => {
  for (const name of ['index.html', 'board.css', 'dialogs.css', 'panels.css', 'record.css', ...modules.map((module) => `js/${module}`)]) {
    const found = [...read(name).matchAll(/https?:\/\/[^\s'"`)]+/g)].map(([address]) => address).filter((address) => !/^http:\/\/www\.w3\.org\//.test(address) && !address.startsWith('https://www.red-bean.com/'));
    assert.deepEqual(found, [], name);
  }
});

test('files stay short enough to read', () => {
  for (const name of modules) assert.ok(read(`js/${name}`).split('\n').length <= 530, name);
});
