// A room in Firefox: two people with a profile each make it, join it by its link, leave and come back, take a move back by
// consent, end the game and play again, and follow an opening rule. A phone is locked, and the server is killed meanwhile.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startFirefox } from '../lib/firefox.mjs';
import { startServer } from '../lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'tengen-rooms-'));
const options = ['--rooms', folder, '--workers', '1', '--hash', '16'];
let own;
let friend;
let server;

before(async () => {
  [own, server] = await Promise.all([startFirefox(), startServer({ options })]);
  friend = await own.another();
  await own.setViewport(1200, 900);
  await friend.setViewport(390, 844);
});
after(async () => {
  await own?.close();
  await server?.kill();
  rmSync(folder, { recursive: true });
});

const status = (person, words) => person.until(`${String(words)}.test(document.getElementById('status').textContent)`);
const choice = (person, n, of) => person.until(`document.querySelectorAll('#choices > button').length === ${of}`).then(() => person.press(`#choices > button:nth-of-type(${n})`));
const free = (person) => person.until("!document.getElementById('board').classList.contains('locked')");

/** Makes a room with these values of the dialog, and opens the page of the friend. @param {Record<string, string>} fields */
async function makeRoom(fields) {
  await own.open('about:blank');
  await own.open(`${server.url}icon.svg`);
  await own.value("(localStorage.setItem('tengen.start', 'play'), true)");
  await own.open(server.url);
  await own.until("document.querySelector('#connection[data-state=open]') !== null");
  await own.press('[data-act=new]');
  await own.until("document.querySelector('dialog label:has([value=friend])')?.checkVisibility()");
  await own.value(`(() => { document.querySelector('[name=seats][value=friend]').click(); for (const [id, value] of Object.entries(${JSON.stringify(fields)})) { const node = document.getElementById(id); node.value = value; node.dispatchEvent(new Event('change', { bubbles: true })); } return true; })()`);
  await own.press('dialog [type=submit]');
  await own.until("document.querySelectorAll('dialog .qr path').length === 2");
  const link = await own.value("document.getElementById('friendlink').value");
  await own.keys('\uE00C');
  await own.until("document.querySelector('dialog') === null");
  await friend.open('about:blank');
  await friend.open(link);
}

/** Plays for the user of a page; on the phone with the button that places the ghost stone. */
async function play(person, name, count) {
  await free(person);
  await person.click(await person.at(name), person === friend ? 'touch' : 'mouse');
  if (person === friend) {
    await person.until(`/${name}/i.test(document.getElementById('place')?.textContent)`);
    await person.press('#place');
  }
  await Promise.all([own.waitForStones(count), friend.waitForStones(count)]);
}

test('two people play by a link, leave and come back, and play again', async () => {
  await makeRoom({ variant: 'gomokufreestyle' });
  await status(own, /Your turn/);
  await status(friend, /Your friend is to move/);
  await play(own, 'h8', 1);
  await play(friend, 'i9', 2);
  // The phone is locked, and its browser discards the page. The server is killed, and starts again.
  const link = await friend.value('location.href');
  await friend.open('about:blank');
  await status(own, /Your turn/);
  const { port } = server;
  await server.kill();
  server = await startServer({ port, options });
  await own.until("document.querySelector('#connection[data-state=open]') !== null");
  await free(own);
  await own.click(await own.at('j7'));
  await own.waitForStones(3);
  await status(own, /not connected/);
  await friend.open(link);
  await friend.waitForStones(3);
  await play(friend, 'k6', 4);
  await friend.press('.bottom [data-act=undo]');
  await choice(own, 1, 2);
  await Promise.all([own.waitForStones(3), friend.waitForStones(3)]);
  await play(friend, 'l5', 4);
  for (let n = 0; n < 2; n++) await own.press('.actions [data-act=resign]');
  await status(friend, /You won/);
  await friend.until("document.getElementById('ending').checkVisibility()");
  await friend.value("(document.querySelector('[data-act=again]').click(), true)");
  await choice(own, 1, 2);
  await status(friend, /Your turn/);
  await play(friend, 'g7', 1);
});

test('two people follow an opening rule', async () => {
  await makeRoom({ variant: 'renju', opening: 'swap2' });
  for (const [n, name] of ['h8', 'h9', 'j7'].entries()) await play(own, name, n + 1);
  await choice(friend, 2, 3);
  assert.match(await friend.value("document.querySelector('#second b').textContent"), /You/);
  await play(friend, 'k8', 4);
});
