// Opening rules on the board: a game of each rule by touch and by keyboard, against the engine with each colour, and what is
// refused, taken back, kept, linked and written.
import assert from 'node:assert/strict';
import { Board } from '../lib/board.mjs';
import { BUTTONS, INPUTS, RULES, actsOf, isPoint, stonesAfter } from '../lib/openings.mjs';
import { scenario } from '../lib/scenario.mjs';

/** The words of a step, or of a move after the opening. */
const STEP = /Player \d \(\w+\): |(Black|White) to move/;

/** How many acts the link of the page holds. */
const actsDone = (board) => board.page.evaluate(() => (/&o=([^&]+)/.exec(location.hash)?.[1]?.split('.').length ?? 1) - 1);

/** Does an act, and waits until it is done and the next step is told. */
async function doAct(board, input, act) {
  const [before, words] = [await actsDone(board), await board.status()];
  if (isPoint(act)) await input.point(board, act);
  else if (BUTTONS[act]) await input.button(board, BUTTONS[act]);
  else await input.number(board, act);
  await board.until(([count, text, step]) => {
    const now = document.getElementById('status')?.textContent ?? '';
    return (/&o=([^&]+)/.exec(location.hash)?.[1]?.split('.').length ?? 1) - 1 > count && now !== text && new RegExp(step).test(now);
  }, [before, words, STEP.source]);
}

/** The texts above the moves. */
const events = (board) => board.page.locator('#moves .event').allTextContents();

for (const [name, input] of Object.entries(INPUTS)) {
  for (const [rule, [variant, course, reason, texts]] of Object.entries(RULES)) {
    scenario(`opening ${rule} by ${name}: a game of two people`, async (board) => {
      const { page } = board;
      await board.newGame({ variant, seats: 'both', opening: rule });
      await board.waitForStatus(/Player 1 \(Black\)/);
      const refusals = [];
      for (const act of course.split(' ')) {
        if (!act.startsWith('!')) {
          await doAct(board, input, act);
          continue;
        }
        await input.refused(board, act.slice(1));
        await board.waitForStatus(/not allowed|taken|equal to another|offered already/);
        refusals.push(await board.status());
      }
      if (reason) assert.match(refusals.at(-1), reason);
      const stones = stonesAfter(rule, actsOf(course));
      assert.deepEqual((await board.waitForStones(stones.length)).map((stone) => stone.split(' ')[0]), stones);
      const shown = await events(board);
      for (const text of texts) assert.ok(shown.some((line) => line.includes(text)), `${text} in ${shown}`);
      // The game goes on, and a reload keeps all.
      await input.point(board, 'o1');
      const all = await board.waitForStones(stones.length + 1);
      await page.reload();
      assert.deepEqual(await board.waitForStones(all.length), all);
      await board.until((lines) => [...document.querySelectorAll('#moves .event')].map((line) => line.textContent).join() === lines, shown.join());
    }, input.options);
  }
}

/** Plays the user's part of an opening: the first button, the smallest number, the first allowed points that the grid names. */
async function playOpening(board) {
  const { page } = board;
  for (let acts = 0; acts < 40; acts++) {
    await board.until(() => document.getElementById('choices')?.childElementCount || /: (place|offer|keep)|to move|Your turn|Tengen (took|played)/.test(document.getElementById('status')?.textContent ?? ''));
    const status = await board.status();
    if (!/: /.test(status)) return;
    if (await page.locator('#choices input').count()) await INPUTS.keyboard.number(board, '2');
    else if (await page.locator('#choices button').count()) await page.locator('#choices button').first().click();
    else {
      const labels = await board.labels();
      const wanted = labels.filter((label) => (/keep one/.test(status) ? /offered/.test(label) : /^\w+, empty$/.test(label)));
      const point = /^\w+/.exec(wanted[Math.floor(wanted.length / 2)])[0].toLowerCase();
      await board.clickWhenFree(point);
    }
    await board.until((text) => document.getElementById('status')?.textContent !== text, status);
  }
  throw new Error('the opening does not end');
}

for (const seats of ['first', 'second']) {
  for (const rule of ['pro', 'swap1', 'rif', 'yamaguchi', 'tarannikov', 'taraguchi10', 'soosorv8']) {
    scenario(`opening ${rule} against the engine, you are the ${seats} player`, async (board) => {
      await board.newGame({ variant: 'renju', seats, level: 0, opening: rule });
      await playOpening(board);
      // Before the engine's first move the status may name the engine's turn. A click would be refused then.
      await board.waitForStatus(/Your turn/);
      const before = (await board.stones()).length;
      assert.ok(before >= (rule === 'swap1' ? 1 : 3), String(before));
      // The engine answers the first move after the opening.
      const [free] = (await board.labels()).filter((label) => /^[A-C]\d+, empty$/.test(label));
      await board.clickWhenFree(/^\w+/.exec(free)[0].toLowerCase());
      await board.until((count) => [...document.querySelectorAll('[role=gridcell]')].filter((cell) => /, move \d+/.test(cell.getAttribute('aria-label') ?? '')).length >= count, before + 2);
    });
  }
}

scenario('opening: two engines follow the rule by themselves', async (board) => {
  await board.newGame({ variant: 'renju', seats: 'none', level: 0, opening: 'rif' });
  await board.until(() => [...document.querySelectorAll('[role=gridcell]')].filter((cell) => /, move \d+/.test(cell.getAttribute('aria-label') ?? '')).length >= 6);
  assert.ok((await events(board)).some((line) => /Offered: \w+, \w+/.test(line)));
});

scenario('opening: the grid names what is not allowed and what is offered; marks and legend say it too', async (board) => {
  const { page } = board;
  await board.newGame({ variant: 'renju', seats: 'both', opening: 'rif' });
  await board.waitForStatus(/place stone 1 \(Black\) on H8/);
  await board.clickWhenFree('h8');
  await board.waitForStatus(/RIF: Player 1 \(Black\): place stone 2 \(White\) in the 3×3 square around H8/);
  await board.until(() => document.querySelectorAll('.chosen').length === 8);
  assert.equal((await board.labels()).filter((label) => /not allowed/.test(label)).length, 225 - 9);
  await page.locator('#legend', { hasText: 'allowed' }).waitFor();
  await board.clickWhenFree('h9');
  await board.waitForStatus(/5×5/);
  await board.clickWhenFree('h7');
  await board.waitForStatus(/Which colour/);
  await page.locator('[role=gridcell][tabindex="0"]').focus();
  await page.keyboard.press('Escape');
  await page.locator('#point').fill('stay');
  await page.keyboard.press('Enter');
  await board.waitForStatus(/stone 4/);
  await board.clickWhenFree('h6');
  await board.waitForStatus(/offer fifth stone 1 of 2/);
  await board.clickWhenFree('g8');
  await board.waitForStatus(/offer fifth stone 2 of 2/);
  assert.ok((await board.labels()).includes('G8, empty, offered'));
  // Equal by the axis of the stones.
  await board.until(() => document.querySelectorAll('#board .barred').length === 3);
  await board.clickWhenFree('c3');
  await board.waitForStatus(/keep one of the offered stones: G8, C3/);
  assert.deepEqual((await board.labels()).filter((label) => /offered/.test(label)), ['G8, empty, offered', 'C3, empty, offered']);
  await board.clickWhenFree('d4');
  await board.waitForStatus(/D4 is not allowed/);
  await board.waitForStones(4);
});

scenario('opening: undo takes acts back one after another, to the start', async (board) => {
  const { page } = board;
  await board.newGame({ variant: 'renju', seats: 'both', opening: 'rif' });
  for (const act of ['h8', 'h9', 'h7', 'white', 'h6', 'g8']) {
    await doAct(board, INPUTS.keyboard, act);
  }
  const undo = page.locator('.actions [data-act=undo]');
  for (const [words, stones] of [[/offer fifth stone 1 of 2/, 4], [/stone 4/, 3], [/Which colour/, 3], [/stone 3/, 2], [/stone 2/, 1], [/stone 1/, 0]]) {
    await undo.click();
    await board.waitForStatus(words);
    await board.waitForStones(stones);
  }
  await board.until(() => document.querySelector('.actions [data-act=undo]').disabled);
});

scenario('opening: a link in the middle of the course goes on there, and a wrong one is refused with the reason', async (board, { browser }) => {
  await board.newGame({ variant: 'renju', seats: 'both', opening: 'yamaguchi' });
  for (const act of ['h8', 'i9', 'j8', '2', 'white', 'a1', 'b2']) {
    await doAct(board, INPUTS.keyboard, act);
  }
  const { hash } = new URL(board.page.url());
  assert.match(hash, /o=yamaguchi\.h8\.i9\.j8\.2\.stay\.a1\.b2/);
  const other = await Board.open(browser, board.url, { hash });
  await other.waitForStatus(/offer fifth stone 2 of 2/);
  assert.ok((await events(other)).includes('Number of fifth stones: 2'));
  await other.close();
  for (const [text, words] of [['#v=renju&s=15&o=rif.h8.a1&m=h8a1', /The opening "rif" was refused: a1: not allowed for stone 2/], ['#v=renju&s=15&o=rif.h8&m=g7', /its stones are H8/], ['#v=renju&s=15&o=nonsense&m=h8', /"nonsense" was refused/]]) {
    const wrong = await Board.open(browser, board.url, { hash: text });
    await wrong.waitForStatus(words);
    await wrong.close();
  }
});

scenario('opening: an SGF record holds the course, and an imported one tells it', async (board) => {
  const { page } = board;
  const text = '(;FF[4]GM[4]SZ[15]RU[renju]XW[rif h8 h9 i9 swap h7 g8 c3 c3];B[hh];W[hg];B[ig];W[hi];B[cm];W[aa])';
  await page.locator('[data-act=share]').first().click();
  await page.locator('dialog textarea').first().fill(text);
  await page.locator('dialog button', { hasText: /^Import$/ }).click();
  await board.waitForStones(6);
  await board.until(() => /Offered: G8, C3/.test(document.getElementById('moves')?.textContent ?? ''));
  assert.deepEqual((await events(board)).slice(0, 3), ['RIF', 'Player 2 took black.', 'Offered: G8, C3']);
  assert.match((await events(board))[3], /Opening: D4 Kagetsu 花月 \(Flower Moon\)/);
});

scenario('opening: the name of the opening in five languages', async (board) => {
  const { page } = board;
  await board.until(() => /Flower Moon/.test(document.getElementById('moves')?.textContent ?? ''));
  const names = new Set();
  for (const language of ['zh', 'ja', 'vi', 'ru']) {
    await page.evaluate((name) => localStorage.setItem('tengen.settings', JSON.stringify({ language: name })), language);
    await page.reload();
    await board.until((name) => document.documentElement.lang === name && /花月/.test(document.getElementById('moves')?.textContent ?? ''), language);
    names.add(await page.locator('#moves .event').first().textContent());
  }
  assert.equal(names.size, 4);
}, { hash: '#v=renju&s=15&m=h8h9i9' });

scenario('opening: the server dies in the middle of the course, and the course goes on', async (board) => {
  await board.newGame({ variant: 'renju', seats: 'both', opening: 'rif' });
  await board.waitForStatus(/stone 1/);
  await board.clickWhenFree('h8');
  await board.waitForStatus(/stone 2/);
  let isDead = true;
  await board.page.routeWebSocket(/\/v1\/ws/, (socket) => void (isDead ? socket.close() : socket.connectToServer()));
  await board.page.reload();
  await board.page.locator('#banner:not([hidden])').waitFor();
  await board.waitForStones(1);
  isDead = false;
  // The page may have tried by itself meanwhile.
  await board.page.evaluate(() => document.querySelector('#trynow').click());
  await board.waitForStatus(/stone 2/);
  await board.clickWhenFree('h9');
  await board.waitForStatus(/stone 3/);
}, { fresh: true });

scenario('opening: a board that is too small for a rule is refused in the dialog', async (board) => {
  const { page } = board;
  await page.locator('[data-act=new]').first().click();
  const dialog = page.locator('dialog');
  await dialog.locator('#variant').selectOption('renju');
  await dialog.locator('#opening').selectOption('rif');
  await dialog.locator('#width').fill('8');
  await dialog.locator('#reason', { hasText: 'rif needs a board of at least 9x9 with odd sides' }).waitFor();
  assert.ok(await dialog.locator('button[type=submit]').isDisabled());
  await dialog.locator('#width').fill('9');
  await dialog.locator('#reason:empty').waitFor({ state: 'attached' });
  await dialog.locator('#variant').selectOption('cfour');
  assert.ok(await dialog.locator('#field-opening').isHidden());
});
