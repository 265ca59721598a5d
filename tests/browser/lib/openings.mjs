// A course of each opening rule, and how a user does its acts.

/**
 * Each rule: the variant, the course of two people, a point that is refused (`!h8`), the words of the
 * reason of the last one, and texts that the list of moves shows. `black`, `white`, `two`, `ten` are buttons, a number is a field.
 */
export const RULES = {
  pro: ['gomoku', 'h8 a1 !g8 l8', /outside the 5×5 square around H8/, []],
  longpro: ['gomokufreestyle', 'h8 a1 !k8 l8', /outside the 7×7 square around H8/, []],
  swap: ['caro', 'h8 i9 !h8 j7 black', /H8 is taken/, ['Player 2 took black']],
  swap2: ['gomoku', 'h8 i9 !i9 j7 two a1 o15 white', /I9 is taken/, ['Player 2 places two more', 'Player 1 took white']],
  swap1: ['gomokufreestyle', 'h8 white', null, ['Player 2 took white']],
  rif: ['renju', 'h8 h9 !h12 h7 white h6 g8 !i8 c3 c3', /I8 is equal to another offer/, ['Player 2 took white', 'Offered: G8, C3', 'Opening: ']],
  yamaguchi: ['renju', 'h8 i9 !l9 j8 3 black a1 b2 c5 !b2 d9 b2', /B2 is offered already/, ['Number of fifth stones: 3', 'Player 2 took black', 'Offered: B2, C5, D9']],
  tarannikov: ['renju', '!a1 h8 white !f8 i9 black j10 white k9 white l12 white', /in the 3×3 square around H8/, ['Player 2 took white', 'Player 1 took black']],
  taraguchi10: ['renju', 'h8 white !j9 i9 white j8 white j9 ten a1 b1 c1 d2 e2 f3 g4 k1 l1 m1 c1', /in the 3×3 square around H8/, ['Player 2 offers ten', 'Offered: A1, B1, C1, D2, E2, F3, G4, K1, L1, M1']],
  soosorv8: ['renju', 'h8 i9 !l8 j9 white a1 4 white b2 c3 d5 e1 d5', /in the 5×5 square around H8/, ['Number of fifth stones: 4', 'Offered: B2, C3, D5, E1']],
};

/** The words of a course, without refused points. @param {string} course */
export const actsOf = (course) => course.split(' ').filter((act) => !act.startsWith('!'));
export const isPoint = (act) => /^[a-z]\d+$/.test(act);
export const BUTTONS = { black: /Take black/, white: /Take white/, two: /Place two/, ten: /Offer ten/ };

/** The stones on the board after the acts. A point that comes twice was offered and kept; other offers are no stones. @param {string} rule @param {string[]} acts */
export function stonesAfter(rule, acts) {
  const offers = new Set(acts.filter((act, n) => isPoint(act) && acts.indexOf(act) !== n));
  const kept = [...offers];
  const first = acts.findIndex((act) => offers.has(act));
  const end = { rif: 5, yamaguchi: 6, taraguchi10: 8, soosorv8: 7 }[rule] ?? acts.length;
  return [...acts.slice(0, first < 0 ? acts.length : Math.min(first, end)).filter(isPoint), ...kept].slice(0, 5);
}

/** How a user does things: a point, a button, a number. */
export const INPUTS = {
  touch: {
    options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    refused: (board, name) => board.tap(name),
    point: async (board, name) => {
      await board.tap(name);
      await board.page.locator('#place:enabled', { hasText: name.toUpperCase() }).tap();
    },
    button: (board, words) => board.page.locator('#choices button', { hasText: words }).tap(),
    number: async (board, number) => {
      await board.page.locator('#choices input').fill(number);
      await board.page.locator('#choices button').tap();
    },
  },
  keyboard: {
    options: {},
    refused: (board, name) => INPUTS.keyboard.point(board, name),
    point: async (board, name) => {
      await board.page.locator('[role=gridcell][tabindex="0"]').focus();
      await board.page.keyboard.type(name);
      await board.page.keyboard.press('Enter');
    },
    button: async (board, words) => {
      await board.page.locator('#choices button', { hasText: words }).focus();
      await board.page.keyboard.press('Enter');
    },
    number: async (board, number) => {
      await board.page.locator('#choices input').focus();
      await board.page.keyboard.press('Control+a');
      await board.page.keyboard.type(number);
      await board.page.keyboard.press('Enter');
    },
  },
};
