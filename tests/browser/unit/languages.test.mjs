// The five languages: each has all keys, and every key in the sources exists.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { LANGUAGES, chooseLanguage, setTexts, t } from '../../../web/page/js/base/text.js';

const page = new URL('../../../web/page/', import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(`lang/${name}.json`, page), 'utf8'));
const all = (tag) => ({ ...read(tag), ...read(`${tag}.more`), ...read(`${tag}.run`) });
/** Returns a key without its plural form. */
const base = (key) => key.replace(/\.(zero|one|two|few|many|other)$/, '');
const values = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

for (const tag of Object.keys(LANGUAGES)) {
  test(`${tag} has every key, with the values of English`, () => {
    const [english, own] = [all('en'), all(tag)];
    assert.deepEqual([...new Set(Object.keys(own).map(base))].sort(), [...new Set(Object.keys(english).map(base))].sort());
    for (const [key, text] of Object.entries(own)) {
      const model = english[key] ?? english[`${base(key)}.other`];
      const same = [...new Set(values(text))].every((name) => values(model).includes(name) || base(key) === 'result.time' || base(key) === 'result.forbidden');
      assert.ok(same, `${tag} ${key}: ${text}`);
    }
  });

  test(`${tag} has every plural form of its language`, () => {
    const own = all(tag);
    const plural = new Intl.PluralRules(tag);
    for (const key of Object.keys(all('en')).filter((name) => name.endsWith('.other')).map(base)) {
      for (const n of [0, 1, 2, 3, 5, 11, 21, 22, 100]) {
        const form = `${key}.${plural.select(n)}`;
        assert.ok(form in own || `${key}.other` in own, `${tag} ${form}`);
        if (plural.select(n) !== 'other') assert.ok(form in own, `${tag} ${form}`);
      }
    }
  });
}

test('every key in the sources has a text', () => {
  const english = all('en');
  const known = new Set(Object.keys(english).map(base).concat(Object.keys(english)));
  const sources = readdirSync(new URL('js/', page), { recursive: true }).filter((name) => name.endsWith('.js')).map((name) => readFileSync(new URL(`js/${name}`, page), 'utf8'));
  const html = ['index.html', 'run.html'].map((name) => readFileSync(new URL(name, page), 'utf8')).join('');
  const named = sources.flatMap((text) => [...text.matchAll(/\bt\('([^']+)'/g)].map(([, key]) => key));
  const chosen = sources.flatMap((text) => [...text.matchAll(/\bt\([^'`()]*\? '([^']+)' : '([^']+)'/g)].flatMap(([, one, two]) => [one, two]));
  const errors = sources.flatMap((text) => [...text.matchAll(/'((?:sgf|link)\.[a-z]+)'/g)].map(([, key]) => key));
  const labels = [...html.matchAll(/data-(?:t|label)="([^"]+)"/g)].map(([, key]) => key);
  for (const key of [...named, ...chosen, ...errors, ...labels]) assert.ok(known.has(key), key);
  // Keys with a variable end: at least one key has this prefix.
  const families = sources.flatMap((text) => [...text.matchAll(/\bt\(`([a-z]+\.)\$\{/g)].map(([, prefix]) => prefix));
  for (const prefix of families) assert.ok([...known].some((key) => key.startsWith(prefix)), prefix);
});

/** The modules that are loaded at the start. */
const FIRST = ['main', 'app/app', 'app/state', 'protocol/client', 'board/view', 'record/game', 'base/text'].map((name) => readFileSync(new URL(`js/${name}.js`, page), 'utf8')).join('');

/** The keys that calls of `t` name, and the beginnings of those that they compose. */
function keysOf(source) {
  const calls = [...source.matchAll(/\bt\(((?:[^()]|\([^()]*\))*)\)/g)].map(([, inside]) => inside);
  return {
    keys: calls.filter((inside) => !inside.startsWith('`')).flatMap((inside) => [...inside.matchAll(/(?:^|[?:] )'([^']+)'/g)].map(([, key]) => key)),
    beginnings: calls.flatMap((inside) => [...inside.matchAll(/^`([a-z.]+)\$\{/g)].map(([, begin]) => begin)),
  };
}

test('the texts of the first view are in its file', () => {
  const html = readFileSync(new URL('index.html', page), 'utf8');
  const first = new Set(Object.keys(read('en')).flatMap((key) => [key, base(key)]));
  const { keys, beginnings } = keysOf(FIRST);
  for (const key of [...keys, ...[...html.matchAll(/data-(?:t|label)="([^"]+)"/g)].map(([, one]) => one)]) assert.ok(first.has(key), key);
  assert.ok(beginnings.includes('v.'));
  for (const key of Object.keys(read('en.more'))) assert.ok(!beginnings.some((begin) => key.startsWith(begin)), key);
});

test('every text is used', () => {
  const sources = readdirSync(new URL('js/', page), { recursive: true }).filter((name) => name.endsWith('.js')).map((name) => readFileSync(new URL(`js/${name}`, page), 'utf8')).join('') + ['index.html', 'run.html'].map((name) => readFileSync(new URL(name, page), 'utf8')).join('');
  const composed = [...sources.matchAll(/`([a-zA-Z.]+)\$\{/g)].map(([, begin]) => begin);
  const unused = Object.keys(all('en')).map(base).filter((key) => !new RegExp(`['"]${key.replaceAll('.', '\\.')}['"]|\\b${key}: `).test(sources) && !composed.some((begin) => key.startsWith(begin)));
  assert.deepEqual([...new Set(unused)], []);
});

test('plural forms follow the language', () => {
  setTexts('ru', all('ru'));
  assert.equal(t('played', { n: 1 }), '1 ход');
  assert.equal(t('played', { n: 3 }), '3 хода');
  assert.equal(t('played', { n: 12 }), '12 ходов');
  setTexts('en', all('en'));
  assert.equal(t('played', { n: 1 }), '1 played');
});

test('a missing key shows the English text', () => {
  setTexts('vi', {}, { retry: 'Try again' });
  assert.equal(t('retry'), 'Try again');
});

test('the language is the setting, else the first one of the browser that the page has', () => {
  assert.equal(chooseLanguage('ja', ['ru']), 'ja');
  assert.equal(chooseLanguage(null, ['fr-FR', 'zh-TW', 'en']), 'zh');
  assert.equal(chooseLanguage('xx', ['fr']), 'en');
});

for (const tag of ['zh', 'ja']) {
  test(`${tag} has the marks of its own script, not those of Latin scripts`, () => {
    const cjk = /[\u3000-\u30ff\u4e00-\u9fff]/;
    for (const [key, text] of Object.entries(all(tag))) {
      if (!cjk.test(text)) continue;
      // What a user types or a record has stays as it is.
      const plain = text.replace(/“[^”]*”|「[^」]*」|\{\w+\}|m,n,k/g, '');
      assert.doesNotMatch(plain, /[,:;?!()]/, `${key}: ${text}`);
    }
  });
}
