// One tour through the page by mouse, by keys alone and by touch: engine first, level, a move, undo,
// numbers on stones, values on points.
import assert from 'node:assert/strict';
import { scenario } from '../lib/scenario.mjs';


/** A user with a mouse. The other classes do these actions in another way. */
class Mouse {
  constructor(board) {
    this.board = board;
    this.page = board.page;
  }

  press(selector) {
    return this.page.locator(selector).first().click();
  }

  /** Chooses the engine's side and its level in the dialog. */
  async engineFirst(level) {
    await this.press('header [data-act=new]');
    // The engine has told its rules, and the dialog is complete.
    await this.page.locator('#opening option').nth(1).waitFor({ state: 'attached' });
    await this.page.locator('dialog label', { has: this.page.locator('[name=seats][value=second]') }).click();
    const { x, y, height, width } = await this.page.locator('#level').boundingBox();
    await this.page.mouse.click(x + 8 + ((width - 16) * level) / 10, y + height / 2);
    await this.press('dialog button[type=submit]');
  }

  place(point) {
    return this.board.clickWhenFree(point);
  }

  async numbers(kind) {
    await this.press('header [data-act=settings]');
    await this.page.locator('#set-numbers').selectOption(kind);
    await this.press('dialog .primary');
  }

  undo() {
    return this.press('.actions [data-act=undo]');
  }

  analyse() {
    return this.press('header [data-mode=analyse]');
  }
}

class Keys extends Mouse {
  /** Presses Tab until an element has the focus. */
  async walk(selector) {
    for (let step = 0; step < 80; step++) {
      if (await this.page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return;
      await this.page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not reach ${selector}`);
  }

  async press(selector) {
    await this.walk(selector);
    await this.page.keyboard.press('Enter');
  }

  /** Chooses an option of a list with the arrow keys. */
  async choose(selector, value) {
    await this.walk(selector);
    for (let step = 0; step < 12 && (await this.page.locator(selector).inputValue()) !== value; step++) await this.page.keyboard.press('ArrowDown');
    assert.equal(await this.page.locator(selector).inputValue(), value);
  }

  async engineFirst(level) {
    await this.press('header [data-act=new]');
    await this.page.locator('dialog').waitFor();
    await this.walk('[name=seats]');
    await this.page.keyboard.press('ArrowRight');
    assert.equal(await this.page.locator('[name=seats]:checked').inputValue(), 'second');
    await this.walk('#level');
    await this.page.keyboard.press('Home');
    for (let step = 0; step < level; step++) await this.page.keyboard.press('ArrowRight');
    await this.press('dialog button[type=submit]');
  }

  async place(point) {
    await this.walk('[role=gridcell]');
    await this.page.keyboard.type(point);
    await this.page.keyboard.press('Enter');
  }

  async numbers(kind) {
    await this.press('header [data-act=settings]');
    await this.page.locator('dialog').waitFor();
    await this.choose('#set-numbers', kind);
    await this.page.keyboard.press('Escape');
  }

  undo() {
    return this.page.keyboard.press('Control+z');
  }
}

class Touch extends Mouse {
  press(selector) {
    return this.page.locator(selector).first().tap();
  }

  async engineFirst(level) {
    await this.press('header [data-act=new]');
    // The engine has told its rules, and the dialog is complete.
    await this.page.locator('#opening option').nth(1).waitFor({ state: 'attached' });
    await this.page.locator('dialog label', { has: this.page.locator('[name=seats][value=second]') }).tap();
    await this.page.locator('#level').scrollIntoViewIfNeeded();
    const { x, y, height, width } = await this.page.locator('#level').boundingBox();
    await this.page.touchscreen.tap(x + 8 + ((width - 16) * level) / 10, y + height / 2);
    await this.press('dialog button[type=submit]');
  }

  /** Sets the ghost stone with a tap and plays it with the button. */
  async place(point) {
    await this.board.tap(point);
    await this.page.locator('#place').filter({ hasText: point.toUpperCase() }).tap();
  }

  async numbers(kind) {
    await this.press('header [data-act=settings]');
    await this.page.locator('#set-numbers').selectOption(kind);
    await this.press('dialog .primary');
  }

  undo() {
    return this.press('.bottom [data-act=undo]');
  }

  analyse() {
    return this.press('header [data-mode=analyse]');
  }
}

const USERS = { mouse: [Mouse, {}], 'keys alone': [Keys, {}], touch: [Touch, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }] };

for (const [name, [User, options]] of Object.entries(USERS)) {
  scenario(`tour by ${name}: engine first, level, play, undo, numbers, values`, async (board) => {
    const { page } = board;
    const user = new User(board);
    await user.engineFirst(2);
    const [first] = await board.waitForStones(1);
    assert.match(first, / black$/);
    await board.waitForStatus(/Your turn/);
    assert.match(await page.locator('#first').textContent(), /evel 2/);
    const point = first.startsWith('a1 ') ? 'b2' : 'a1';
    await user.place(point);
    assert.equal((await board.waitForStones(3))[1], `${point} white`);
    await user.numbers('all');
    await board.until(() => [...document.querySelectorAll('.stone text')].map((text) => text.textContent).sort().join() === '1,2,3');
    await user.undo();
    assert.deepEqual(await board.waitForStones(1), [first]);
    await board.waitForStatus(/Your turn/);
    await user.analyse();
    await page.locator('.disc').nth(5).waitFor();
    assert.ok((await page.locator('.disc').allTextContents()).every((text) => /^(\d+|[WL]\d*|=)$/.test(text)));
  }, options);
}
