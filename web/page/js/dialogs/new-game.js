//! The dialog of a new game.

import { close, field, number, radios, select } from '../base/dialog.js';
import { el, setText, t } from '../base/text.js';
import { VARIANTS, shapeOf } from '../record/game.js';

/** @typedef {import('../app/app.js').App} App */
/** @typedef {import('../record/game.js').Seat} Seat */

/** The largest side of a board: columns are named a to z. */
const MAX_SIDE = 26;

/** @param {App} app @param {string} [players] the choice of players; that of the game shown by default */
export function content(app, players = seatsName(app.game.seats)) {
  const { game } = app;
  /** The variants of the engine, by name. @type {Map<string, { size?: { min: number, max: number } | null, opening_rules?: string[] }>} */
  const engineVariants = new Map();
  const names = Object.keys(VARIANTS).filter((name) => name !== 'freestyle20');
  const variant = select(
    'variant',
    names.map((name) => [name, t(`v.${name}`)]),
    game.shape.variant === 'freestyle20' ? 'gomokufreestyle' : game.shape.variant,
    () => {
      buildSizeFields();
      buildOpenings();
      change();
    },
  );
  const size = el('div.inputs');
  const reason = el('p.reason', { role: 'alert', id: 'reason' });
  const rules = el('p.hintline', { id: 'rules' });
  const start = /** @type {HTMLButtonElement} */ (el('button.primary', { type: 'submit' }, t('new.start')));
  const seats = radios(
    'seats',
    t('new.seats'),
    [
      ['first', t('seat.first')],
      ['second', t('seat.second')],
      ['both', t('seat.both')],
      ['none', t('seat.none')],
      ['friend', t('seat.friend')],
    ],
    players,
    change,
  );
  const first = radios(
    'firststone',
    t('new.firststone'),
    [
      ['black', t('side.b')],
      ['white', t('side.w')],
    ],
    game.whiteFirst ? 'white' : 'black',
    change,
  );
  const begins = radios(
    'begins',
    t('new.begins'),
    [
      ['1', t('you')],
      ['2', t('friend')],
    ],
    '1',
    change,
  );
  const opening = select('opening', [], '', change);
  const openingField = field('opening', t('new.opening'), opening);
  const openingWords = el('p.hintline', { id: 'openingwords' });
  const level = /** @type {HTMLInputElement} */ (
    el('input', { id: 'level', type: 'range', min: 0, max: 10, value: game.level, oninput: showLevel })
  );
  const levelWords = el('output', { for: 'level', 'aria-live': 'off' });
  const clockKind = select(
    'clockkind',
    [
      ['none', t('clock.kind.none')],
      ['move', t('clock.kind.move')],
      ['game', t('clock.kind.game')],
    ],
    game.clock.kind,
    change,
  );
  const base = number(
    'clockbase',
    game.clock.kind === 'move' ? game.clock.base / 1000 : game.clock.base / 60_000 || 10,
    0.1,
    600,
    t('clock.base'),
  );
  const inc = number('clockinc', game.clock.inc / 1000 || 5, 0, 600, t('clock.incfield'));
  const units = [el('span'), el('span', null, t('unit.inc'))];
  const levelField = field('level', t('new.level'), level, levelWords);

  function showLevel() {
    setText(levelWords, `${level.value} – ${t(`level.${level.value}`)}`);
    level.setAttribute('aria-valuetext', levelWords.textContent ?? '');
  }
  const numberOf = (/** @type {string} */ id) => Number(/** @type {HTMLInputElement | null} */ (size.querySelector(`#${id}`))?.value);
  /** The sides that the chosen variant allows. Before the engine's reply, `custom` allows 1 to 26; null for a fixed size. */
  const sides = () => engineVariants.get(variant.value)?.size ?? (variant.value === 'custom' ? { min: 1, max: MAX_SIDE } : null);
  const chosen = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement | null} */ (form.querySelector(`[name=${name}]:checked`))?.value;
  function buildSizeFields() {
    const initial = shapeOf(variant.value, variant.value === game.shape.variant ? game.shape : {});
    const range = sides();
    const fields = [];
    if (variant.value === 'custom' && range) {
      fields.push(
        number('width', initial.w, range.min, range.max, t('width'), change),
        el('span', null, '×'),
        number('height', initial.h, range.min, range.max, t('height'), change),
        number('connect', initial.k, 1, range.max, t('connect'), change),
        el('span', null, t('inrow.unit')),
        el('label.check', null, el('input', { id: 'gravity', type: 'checkbox', checked: initial.gravity, onchange: change }), t('gravity')),
      );
    } else if (range) {
      fields.push(number('width', initial.w, range.min, range.max, t('width'), change), el('span', null, `(${range.min}–${range.max})`));
    } else {
      fields.push(el('span', null, `${initial.w} × ${initial.h}`));
    }
    size.replaceChildren(...fields);
  }
  /** Offers the opening rules that the engine has for the variant. */
  function buildOpenings() {
    const known = engineVariants.get(variant.value);
    const rules = known?.opening_rules ?? ['free'];
    const wanted = opening.value || (game.course?.rule ?? 'free');
    opening.replaceChildren(...rules.map((rule) => el('option', { value: rule }, t(`rule.${rule}`))));
    opening.value = rules.includes(wanted) ? wanted : 'free';
    // Before the reply the field is there where it will be, so that nothing moves under the pointer.
    openingField.hidden = known ? rules.length < 2 : variant.value === 'custom' || shapeOf(variant.value).k !== 5;
  }
  /** The rule of the opening, or '' for none. */
  const rule = () => (openingField.hidden || opening.value === 'free' ? '' : opening.value);
  function shape() {
    const initial = shapeOf(variant.value, variant.value === game.shape.variant ? game.shape : {});
    if (variant.value === 'custom') {
      const gravity = /** @type {HTMLInputElement} */ (size.querySelector('#gravity')).checked;
      return shapeOf('custom', { w: numberOf('width'), h: numberOf('height'), k: numberOf('connect'), gravity });
    }
    return size.querySelector('#width') ? shapeOf(variant.value, { w: numberOf('width'), h: numberOf('width') }) : initial;
  }
  function change() {
    const wanted = shape();
    openingWords.hidden = rule() === '';
    setText(openingWords, rule() && t(`about.rule.${rule()}`));
    first.hidden = wanted.gravity || wanted.variant === 'tictactoe';
    const withFriend = chosen('seats') === 'friend';
    levelField.hidden = withFriend || chosen('seats') === 'both';
    begins.hidden = !withFriend;
    const kind = clockKind.value;
    base.hidden = kind === 'none';
    inc.hidden = kind !== 'game';
    setText(/** @type {Element} */ (units[0]), kind === 'none' ? '' : t(kind === 'move' ? 'unit.s' : 'unit.min'));
    /** @type {HTMLElement} */ (units[0]).hidden = kind === 'none';
    /** @type {HTMLElement} */ (units[1]).hidden = kind !== 'game';
    setText(rules, t(`about.${variant.value}`));
    check(wanted);
  }
  /** Offers only the variants and sizes of the engine. @param {import('../protocol/client.js').Reply} version */
  function useVariants(version) {
    for (const one of version.variants ?? []) engineVariants.set(one.name, one);
    for (const option of [...variant.options]) if (!engineVariants.has(option.value)) option.remove();
    offerRooms(version.rooms);
    buildSizeFields();
    buildOpenings();
    change();
  }
  /** Offers a friend if the server has rooms. @param {boolean} [hasRooms] */
  function offerRooms(hasRooms = false) {
    /** @type {HTMLElement} */ (seats.querySelector('label:has([value=friend])')).hidden = !hasRooms;
  }
  let lastCheck = 0;
  /** Asks the engine whether a board and its opening rule are possible, and shows why they are not. @param {import('../record/game.js').Shape} wanted */
  function check(wanted) {
    const now = ++lastCheck;
    const { min, max } = sides() ?? { min: 1, max: MAX_SIDE };
    const inside =
      [wanted.w, wanted.h].every((n) => Number.isInteger(n) && n >= min && n <= max) &&
      Number.isInteger(wanted.k) &&
      wanted.k >= 1 &&
      wanted.k <= max;
    const say = (/** @type {string} */ text) => {
      setText(reason, text);
      start.disabled = text !== '';
    };
    if (!inside) return say(t('new.badsize', { from: min, to: max }));
    if (app.connection.state !== 'open') return say('');
    const query = gameFields(wanted);
    const asked = rule()
      ? { action: /** @type {const} */ ('opening'), rule: rule() }
      : { action: /** @type {const} */ ('position'), include_legal: false };
    app.client.reply({ ...asked, ...query }).then(
      () => {
        if (now === lastCheck) say('');
      },
      (error) => {
        if (now === lastCheck) say(error.message);
      },
    );
  }
  /** Makes a room, whose dialog follows this one. @param {Pick<import('../record/game.js').Game, 'clock' | 'whiteFirst'>} own */
  async function makeRoom({ clock, whiteFirst }) {
    const room = await app.loaded(app.load('room'));
    const { kind } = clock;
    const terms = {
      ...gameFields(shape()),
      rule: rule() || undefined,
      begins: Number(chosen('begins')),
      white_first: whiteFirst,
      clock: kind === 'none' ? undefined : { base_ms: clock.base, inc_ms: kind === 'move' ? 0 : clock.inc, per_move: kind === 'move' },
    };
    await room?.make(terms).catch((/** @type {Error} */ error) => setText(reason, error.message));
  }
  const form = el(
    'form.newgame',
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        const kind = /** @type {'none' | 'move' | 'game'} */ (clockKind.value);
        const unit = kind === 'move' ? 1000 : 60_000;
        const clock = {
          kind,
          base: kind === 'none' ? 0 : Math.max(100, Math.round(Number(base.value) * unit)),
          inc: kind === 'game' ? Math.max(0, Math.round(Number(inc.value) * 1000)) : 0,
        };
        const whiteFirst = chosen('firststone') === 'white' && !first.hidden;
        if (chosen('seats') === 'friend') return void makeRoom({ clock, whiteFirst });
        // The dialog stays open until the new game is shown, so that no click plays a move in the old game.
        void Promise.all([app.setMode('play'), app.loadPlay()])
          .then(([, play]) =>
            play.newGame({
              shape: shape(),
              seats: seatsOf(chosen('seats') ?? 'first'),
              level: Number(level.value),
              whiteFirst,
              clock,
              rule: rule(),
            }),
          )
          .then(() => {
            close();
            // The next thing to do is a move.
            app.board.moveTabStop(app.board.tabStop, true);
          });
      },
    },
    field('variant', t('new.game'), variant),
    rules,
    el('div.field', null, el('span.label', null, t('new.size')), size),
    reason,
    seats,
    begins,
    levelField,
    first,
    openingField,
    openingWords,
    el(
      'div.field',
      null,
      el('label', { for: 'clockkind' }, t('new.clock')),
      el('div.inputs', null, clockKind, base, /** @type {HTMLElement} */ (units[0]), inc, /** @type {HTMLElement} */ (units[1])),
    ),
    el('div.buttons', null, el('button', { type: 'button', onclick: close }, t('cancel')), start),
  );
  showLevel();
  offerRooms();
  buildSizeFields();
  buildOpenings();
  change();
  if (app.version) useVariants(app.version);
  else void app.client.reply({ action: 'query_version' }).then(useVariants, () => {});
  return { parts: [form], describedBy: 'rules' };
}

/** The fields of a query that describe the game on a board. @param {import('../record/game.js').Shape} wanted */
function gameFields(wanted) {
  const { variant, w: width, h: height, k: connect, gravity } = wanted;
  if (variant === 'custom') return { variant, board: { width, height, connect, gravity } };
  return { variant, board: width !== shapeOf(variant).w ? { width, height } : undefined };
}

/** @param {{ first: Seat, second: Seat }} seats */
function seatsName({ first, second }) {
  if (first === 'friend' || second === 'friend') return 'friend';
  if (first === second) return first === 'you' ? 'both' : 'none';
  return first === 'you' ? 'first' : 'second';
}

/** @param {string} name @returns {{ first: Seat, second: Seat }} */
function seatsOf(name) {
  return { first: name === 'first' || name === 'both' ? 'you' : 'engine', second: name === 'second' || name === 'both' ? 'you' : 'engine' };
}
