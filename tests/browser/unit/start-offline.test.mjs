// The script that registers the service worker of the site: browsers that give none, and the start of a new version.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

const SCRIPT = await readFile(new URL('../../../packaging/site/start-offline.js', import.meta.url), 'utf8');

/** Something with listeners, and a function that calls them. */
function target(values = {}) {
  const listeners = {};
  const addEventListener = (kind, listener) => void (listeners[kind] ??= []).push(listener);
  return { ...values, addEventListener, tell: (kind) => (listeners[kind] ?? []).map((listener) => listener()) };
}

/** A page that has loaded the script. Its clock stands until `pass` is called. @param {object} navigator */
async function open(navigator) {
  const page = target({ reloads: 0, updates: [], now: 0, timers: [] });
  const world = {
    navigator, URL, Promise,
    document: target({ baseURI: 'https://host/board/', hidden: false }),
    location: { reload: () => void page.reloads++ },
    addEventListener: page.addEventListener,
    CustomEvent: class { constructor(type, { detail }) { Object.assign(this, { type, detail }); } },
    dispatchEvent: (event) => void page.updates.push(event),
    setTimeout: (f, ms) => void page.timers.push([page.now + ms, f]),
  };
  runInNewContext(SCRIPT, world);
  page.document = world.document;
  /** Lets time pass. @param {number} ms */
  page.pass = (ms) => {
    page.now += ms;
    const due = page.timers.filter(([at]) => at <= page.now);
    page.timers = page.timers.filter(([at]) => at > page.now);
    for (const [, f] of due) f();
  };
  page.load = async () => {
    page.tell('load');
    // The answer of `register` and what follows from it.
    await new Promise((done) => setImmediate(done));
  };
  return page;
}

/** A browser with service workers. `register` is what its method does. */
const browser = (register, controller = null) => ({ serviceWorker: target({ controller, register }) });

/** A worker that waits, and what it was told. */
const waiting = () => {
  const told = [];
  return { told, postMessage: (text) => void told.push(text) };
};

test('a browser without service workers, such as over HTTP, is left alone', async () => {
  const page = await open({});
  await page.load();
  assert.deepEqual([page.updates, page.reloads], [[], 0]);
});

for (const [name, register] of [['refuses', () => Promise.reject(new TypeError('refused'))], ['blocks', () => Promise.resolve(undefined)]]) {
  test(`a browser that ${name} service workers gets no update, and nothing is thrown`, async () => {
    const faults = [];
    const note = (error) => faults.push(error);
    process.on('unhandledRejection', note);
    const page = await open(browser(register));
    await page.load();
    page.document.tell('visibilitychange');
    await new Promise((done) => setImmediate(done));
    process.off('unhandledRejection', note);
    assert.deepEqual([faults, page.updates, page.reloads], [[], [], 0]);
  });
}

test('nothing is registered before the page has loaded', async () => {
  const asked = [];
  const page = await open(browser((address) => { asked.push(address); return Promise.resolve(undefined); }));
  assert.deepEqual(asked, []);
  await page.load();
  assert.deepEqual(asked, ['offline.js']);
});

test('a version that waits is told to the page, and starts a second after the wish', async () => {
  const worker = waiting();
  const registration = target({ waiting: worker, update: async () => {} });
  const navigator = browser(() => Promise.resolve(registration), {});
  const page = await open(navigator);
  await page.load();
  assert.deepEqual(page.updates.map(({ type }) => type), ['tengen-update']);
  page.pass(5000);
  assert.deepEqual(worker.told, [], 'nobody has wished it');
  page.updates[0].detail();
  page.pass(999);
  assert.deepEqual(worker.told, []);
  page.pass(1);
  assert.deepEqual(worker.told, ['activate']);
  navigator.serviceWorker.tell('controllerchange');
  assert.equal(page.reloads, 1);
});

test('a version that is stored while the page is open is told when it waits', async () => {
  const installing = target();
  const registration = target({ waiting: null, installing, update: async () => {} });
  const page = await open(browser(() => Promise.resolve(registration), {}));
  await page.load();
  registration.tell('updatefound');
  installing.tell('statechange');
  assert.equal(page.updates.length, 0);
  registration.waiting = waiting();
  installing.tell('statechange');
  assert.equal(page.updates.length, 1);
});

test('the first worker of a page is no new version: it is not told, and takes the page over without a load', async () => {
  const registration = target({ waiting: waiting(), update: async () => {} });
  const navigator = browser(() => Promise.resolve(registration));
  const page = await open(navigator);
  await page.load();
  navigator.serviceWorker.controller = {};
  navigator.serviceWorker.tell('controllerchange');
  assert.deepEqual([page.updates, page.reloads], [[], 0]);
  navigator.serviceWorker.tell('controllerchange');
  assert.equal(page.reloads, 1);
});

test('a page that is shown again looks for a new version; a host that is gone is no fault', async () => {
  let looks = 0;
  const registration = target({ waiting: null, update: () => { looks++; return Promise.reject(new TypeError('offline')); } });
  const page = await open(browser(() => Promise.resolve(registration)));
  await page.load();
  page.document.hidden = true;
  page.document.tell('visibilitychange');
  assert.equal(looks, 0);
  page.document.hidden = false;
  page.document.tell('visibilitychange');
  await new Promise((done) => setImmediate(done));
  assert.equal(looks, 1);
});
