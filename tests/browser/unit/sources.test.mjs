// The sources of the page: what the server needs to remove comments, and what the security policy forbids.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const page = new URL('../../../web/page/', import.meta.url);
const read = (name) => readFileSync(new URL(name, page), 'utf8');
const modules = readdirSync(new URL('js/', page), { recursive: true }).filter((name) => name.endsWith('.js'));
const sheets = ['board.css', ...readdirSync(new URL('js/', page), { recursive: true }).filter((name) => name.endsWith('.css')).map((name) => `js/${name}`)];

/** The text without comments, as a server sends it. */
const sent = (text) => text.replace(/\/\*[\s\S]*?\*\/ ?/g, '').split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('//')).join('\n');

test('modules without comments are valid', async () => {
  // The worker would start when it is imported.
  globalThis.postMessage ??= () => {};
  for (const name of modules) {
    const text = read(`js/${name}`);
    const lines = text.split('\n');
    for (const line of lines) assert.equal((line.replace(/\\`/g, '').match(/`/g) ?? []).length % 2, 0, `${name}: a text over several lines: ${line}`);
    const plain = sent(text);
    assert.ok(!/\/\*|\*\//.test(plain), `${name}: a sign of a comment is left`);
    await assert.doesNotReject(import(`data:text/javascript,${encodeURIComponent(plain.replace(/^import [^;(]*?;$/gm, ''))}`).catch((error) => {
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

test('every style stands in a layer that board.css puts in order', () => {
  const [, names] = /^@layer ([\w,]+);$/m.exec(read('board.css'));
  for (const name of sheets.filter((one) => !one.endsWith('embed.css'))) {
    // What begins a line without a blank is outside of a layer.
    const outer = read(name).replace(/\/\*[\s\S]*?\*\/\n/g, '').split('\n').filter((line) => /^[^ }]/.test(line) && !/^@(layer [\w,]+;|property )/.test(line));
    for (const line of outer) assert.ok(names.split(',').includes(/^@layer (\w+)\{$/.exec(line)?.[1]), `${name}: ${line}`);
  }
});

test('every style sheet that is loaded exists, and every one is loaded', () => {
  const sources = modules.map((name) => read(`js/${name}`)).join('');
  const lists = [...sources.matchAll(/\bstyles: \[([^\]]*)\]|\bSTYLES = \[('[^\]]*)\]|\bloadStyle\(('[^']+')\)/g)].map(([, one, two, three]) => one ?? two ?? three);
  const named = lists.flatMap((list) => list.split(', ')).map((name) => `js/${name.replaceAll("'", '')}.css`);
  const linked = ['index.html', 'embed.html', 'run.html'].flatMap((name) => [...read(name).matchAll(/rel="stylesheet" href="([^"]+)"/g)].map(([, href]) => href));
  assert.deepEqual([...new Set([...named, ...linked])].sort(), [...sheets].sort());
});

/** The features that load the sheet of another one. @type {Record<string, string[]>} */
const SHARED = { explorer: ['analysis'], puzzles: ['ending'], mistakes: ['ending'] };

test('no feature has a class that the styles of another one catch', () => {
  const features = readdirSync(new URL('js/features/', page));
  const files = (feature, end) => readdirSync(new URL(`js/features/${feature}/`, page)).filter((name) => name.endsWith(end)).map((name) => read(`js/features/${feature}/${name}`)).join('\n');
  // The classes of the first part of each selector: what comes after it is inside of an element of the feature.
  const caught = (css) => [...sent(css).matchAll(/(?:^|[{},])([^{},@]+)(?=[,{])/gm)].flatMap(([, selector]) => /^\.([\w-]+)(?![\w.[-])/.exec(selector.trim().replace(/^(?:#\w+|body\S*)[ >]+/, ''))?.[1] ?? []);
  const used = (js) => new Set([...js.matchAll(/\bel\(\s*['`]\w+((?:\.[\w-]+)+)/g)].flatMap(([, names]) => names.slice(1).split('.')));
  let found = 0;
  for (const one of features) {
    const classes = new Set(caught(files(one, '.css')));
    found += classes.size;
    for (const other of features.filter((name) => name !== one && !SHARED[name]?.includes(one))) {
      const both = [...used(files(other, '.js'))].filter((name) => classes.has(name));
      assert.deepEqual(both, [], `classes of ${other} that ${one}.css catches`);
    }
  }
  assert.ok(found > 30, `${found} classes`);
});

/** The files of the first load besides the texts. */
const FIRST = ['index.html', 'board.css', ...['main', 'app/app', 'app/state', 'protocol/client', 'board/view', 'record/game', 'base/text'].map((name) => `js/${name}.js`)];
/** The largest size of the first load, in bytes without comments. */
const BUDGET = 100_000;

test('the files of the first load stay in their budget', () => {
  const size = (name) => Buffer.byteLength(/(js|css)$/.test(name) ? sent(read(name)) : read(name));
  const texts = Math.max(...readdirSync(new URL('lang/', page)).filter((name) => /^\w\w\.json$/.test(name)).map((name) => size(`lang/${name}`)));
  const bytes = FIRST.reduce((sum, name) => sum + size(name), texts);
  assert.ok(bytes < BUDGET, `${bytes} bytes`);
});

test('all that the page loads by itself is small when it is compressed', () => {
  // Neither what a worker, an embedded board or the page of a run loads, nor modules that only hold types.
  const own = modules.filter((name) => !/embed|run\/|replay|worker|types\.js|parts\.js/.test(name)).map((name) => `js/${name}`);
  const styles = sheets.filter((name) => !/(embed|run)\.css$/.test(name));
  const packed = (name) => gzipSync(/(js|css)$/.test(name) ? sent(read(name)) : read(name), { level: 9 }).length;
  const size = (names) => names.reduce((sum, name) => sum + packed(name), 0);
  const all = size(['index.html', 'lang/ru.json', 'lang/ru.more.json', ...own, ...styles]);
  assert.ok(all < 160_000, `${all} bytes`);
  const first = size([...FIRST, 'lang/ru.json']);
  assert.ok(first < 36_000, `${first} bytes before the first drawing`);
});

test('the first load has all modules that its modules import immediately', () => {
  const names = FIRST.filter((name) => name.endsWith('.js'));
  for (const name of names) {
    for (const [, other] of sent(read(name)).matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)'/gm)) {
      const path = new URL(other, new URL(name, 'file:///')).pathname.slice(1);
      assert.ok(names.includes(path), `${name} imports ${path}`);
    }
  }
});

test('only the application changes its state', () => {
  for (const name of modules.filter((one) => !one.startsWith('app/'))) {
    const found = /\bapp\.\w+ (?:\?\?|\|\||[-+])?= |\bassign\(app,|\bapp\.change\(/.exec(sent(read(`js/${name}`)));
    assert.equal(found, null, `${name}: ${found}`);
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
    // Citations name their sources.
    const found = [...read(name).replace(/^\/\/ CITE:.*$/gm, '').matchAll(/https?:\/\/[^\s'"`)]+/g)].map(([address]) => address).filter((address) => !/^http:\/\/www\.w3\.org\//.test(address));
    assert.deepEqual(found, [], name);
  }
});

test('files stay short enough to read', () => {
  for (const name of modules) assert.ok(read(`js/${name}`).trimEnd().split('\n').length <= 600, name);
});
