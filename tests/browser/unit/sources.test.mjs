// The sources of the page: what the server needs to remove comments, and what the security policy forbids.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

const page = new URL('../../../web/page/', import.meta.url);
const read = (name) => readFileSync(new URL(name, page), 'utf8');
const modules = readdirSync(new URL('js/', page));
const sheets = readdirSync(page).filter((name) => name.endsWith('.css'));

/** The text without comments, as a server sends it. */
const sent = (text) => text.replace(/\/\*[\s\S]*?\*\/ ?/g, '').split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('//')).join('\n');

test('modules without comments are valid', async () => {
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

test('style sheets without comments are valid', () => {
  for (const name of sheets) {
    const plain = sent(read(name));
    assert.ok(!/\/\*|\*\//.test(plain), `${name}: a sign of a comment is left`);
    assert.equal(plain.split('{').length, plain.split('}').length, name);
    assert.ok(!plain.split('\n').some((line) => line.startsWith('//')), name);
  }
});

/** The largest size of the files of the first load, in bytes without comments. */
const BUDGET = { 'index.html': 5000, 'board.css': 18_000, 'js/(main|client|board|panel|view-model|game|text).js': 55_000, 'lang/\\w\\w.json': 9_000 };

test('the files of the first load stay in their budgets', () => {
  const files = ['index.html', 'board.css', ...modules.map((name) => `js/${name}`), ...readdirSync(new URL('lang/', page)).map((name) => `lang/${name}`)];
  for (const [pattern, limit] of Object.entries(BUDGET)) {
    const own = files.filter((name) => new RegExp(`^${pattern}$`).test(name)).map((name) => Buffer.byteLength(/(js|css)$/.test(name) ? sent(read(name)) : read(name)));
    assert.ok(own.length > 0, pattern);
    const bytes = pattern.startsWith('lang') ? Math.max(...own) : own.reduce((sum, size) => sum + size, 0);
    assert.ok(bytes <= limit, `${pattern}: ${bytes} bytes`);
  }
});

test('no module writes markup or scripts', () => {
  for (const name of modules) {
    assert.ok(!/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\('style'/.test(sent(read(`js/${name}`))), name);
  }
  assert.ok(!/ style=| on\w+=|<script>|javascript:/.test(read('index.html')));
});

test('no file of the page names another host', () => {
  for (const name of ['index.html', ...sheets, ...modules.map((module) => `js/${module}`)]) {
    const found = [...read(name).matchAll(/https?:\/\/[^\s'"`)]+/g)].map(([address]) => address).filter((address) => !/^http:\/\/www\.w3\.org\//.test(address) && !address.startsWith('https://www.red-bean.com/'));
    assert.deepEqual(found, [], name);
  }
});

test('files stay short enough to read', () => {
  for (const name of modules) assert.ok(read(`js/${name}`).split('\n').length <= 530, name);
});
