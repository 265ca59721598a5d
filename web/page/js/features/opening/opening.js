//! Openings on the page. The engine says which step follows and what is allowed. The page tells the step in words,
//! marks its points, shows its choices as buttons, and lets the engine decide for its player.

import { remove, request } from '../../app/positions.js';
import { el, t } from '../../base/text.js';
import { begin, isStone, regionOf, seatsOf, takenSide, undone, words } from '../../record/course.js';
import { indexOf, moveText, nameAt, nameOf, pointOf } from '../../record/game.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/course.js').Act} Act */
/** @typedef {import('../../record/course.js').Course} Course */
/** @typedef {import('../../record/course.js').Kind} Kind */
/** @typedef {import('../../protocol/client.js').Reply} Reply */
/** @typedef {{ player: 1 | 2, side: 'first' | 'second', kind: Kind, points: string[], stone?: 'first' | 'second', other?: 'two' | 'ten', most?: number, count?: number, offered?: string[] }} Step */

/** Time for a decision below level 10, in ms. */
const WEAK_MS = 1000;

/** @param {App} app */
export const mount = (app) => new Opening(app);

class Opening {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** What comes next; null until the engine has said it. @type {Step | null} */
    this.step = null;
    /** Changes whenever a reply that is under way counts no more. */
    this.turn = 0;
    /** Whether the engine is asked. */
    this.waits = false;
    /** The query in which the engine decides. @type {string | null} */
    this.id = null;
    /** Actions of typed words. @type {Record<string, () => void>} */
    this.commands = {};
  }

  /** Starts with a new game. @param {string} rule */
  begin(rule) {
    const { game } = this.app;
    game.course = begin(rule, game.seats);
  }

  gameChanged() {
    this.drop();
  }

  /** Drops the step and the replies that are under way. */
  drop() {
    this.app.client.cancel(this.id);
    Object.assign(this, { step: null, turn: this.turn + 1, waits: false, id: null });
  }

  /** The opening of the game, or null when it is over. */
  get course() {
    const { course } = this.app.game;
    return course && !course.over ? course : null;
  }

  /** The step that the user decides now, or null. */
  get own() {
    const { step, course, waits } = this;
    return step && course && !waits && course.players[step.player] === 'you' ? step : null;
  }

  // Queries to the engine.

  /** The fields of a query about the opening. @param {string[]} acts */
  query(acts) {
    const { game } = this.app;
    return { ...game.query(game.root), moves: undefined, action: /** @type {const} */ ('opening'), rule: game.course?.rule, acts };
  }

  /** A record or a link may hold an opening in any mode. */
  follow() {
    if (this.course?.unread.length) this.advance();
  }

  connected() {
    this.follow();
  }

  /** Continues the opening: asks for the step, or lets the engine decide. */
  advance() {
    const { course, step } = this;
    if (!course || this.waits || this.app.connection.state !== 'open') return;
    if (!step || course.unread.length) void this.askSteps();
    else if (course.players[step.player] === 'engine') this.decide();
  }

  /** Asks what the acts that are not read mean, and which step follows. */
  async askSteps() {
    const { app, course } = this;
    if (!course) return;
    const turn = ++this.turn;
    this.waits = true;
    const known = course.acts.map(({ act }) => act);
    const prefixes = Array.from({ length: course.unread.length + 1 }, (_, n) => [...known, ...course.unread.slice(0, n)]);
    try {
      const replies = await Promise.all(prefixes.map((acts) => app.client.reply(this.query(acts))));
      if (turn !== this.turn) return;
      this.waits = false;
      this.takeActs(course, replies);
    } catch (error) {
      if (turn !== this.turn) return;
      this.waits = false;
      this.refused(course, error instanceof Error ? error.message : String(error));
    }
  }

  /** Takes the acts of a link or a record, and the step after them. @param {Course} course @param {Reply[]} replies the first one before these acts */
  takeActs(course, replies) {
    const { app } = this;
    const { game } = app;
    const last = replies.at(-1);
    const moves = /** @type {string[]} */ (last?.moves ?? []);
    const own = game.mainLine().map((node) => node.move);
    if (course.unread.length && moves.some((move, n) => own[n + 1] !== move))
      return this.refused(course, t('opening.othermoves', { moves: moves.map(moveText).join(' ') }));
    const acts = course.unread.map((act, n) => ({ act: plainAct(act, replies[n]?.step), ...stepOf(replies[n]?.step) }));
    game.course = { ...course, acts: [...course.acts, ...acts], unread: [] };
    this.takeStep(last);
  }

  /** Takes the step that the engine has told. @param {Reply | undefined} reply */
  takeStep(reply) {
    const { app } = this;
    const { game } = app;
    if (!reply || !game.course) return;
    this.step = reply.step ?? null;
    const seats = seatsOf(game.course, reply.first === 2 ? 2 : 1);
    if (seats.first !== game.seats.first || seats.second !== game.seats.second) game.seats = seats;
    if (!this.step) game.course = { ...game.course, over: true, stones: reply.moves?.length ?? 0 };
    app.advance();
    app.refresh();
    if (this.own) app.say(this.status());
    app.save();
  }

  /** Takes the last act back that the engine refuses, or the opening of a link or a record. @param {Course} course @param {string} why */
  refused(course, why) {
    const { app } = this;
    const { game } = app;
    const last = course.acts.at(-1);
    this.drop();
    if (last && !course.unread.length) {
      game.course = { ...course, acts: course.acts.slice(0, -1) };
      if (isStone(last) && game.live.move === last.act) remove(app, game.live);
      app.fail(t('refused', { move: actText(last.act), why }));
    } else {
      game.course = null;
      app.fail(t('opening.refused', { rule: course.rule, why }));
    }
    app.save();
  }

  /** Lets the engine decide. */
  decide() {
    const { app, course } = this;
    const { game } = app;
    if (!course) return;
    const turn = ++this.turn;
    this.waits = true;
    this.id = request(
      app,
      game.live,
      {
        ...this.query(words(course)),
        decide: true,
        level: game.level,
        time_ms: game.level === 10 ? app.settings.moveTime : WEAK_MS,
        ...app.effort(),
      },
      {
        valid: () => turn === this.turn,
        again: () => this.decide(),
        failed: () => {
          this.waits = false;
        },
        on: (reply, last) => {
          if (!last) return;
          this.waits = false;
          this.id = null;
          // A server that shuts down decides nothing.
          if (reply.no_results) return;
          void this.carryOut(reply);
        },
      },
    );
    app.refresh();
  }

  /** Does what the engine has decided. @param {Reply} reply */
  async carryOut(reply) {
    const { app, course, turn } = this;
    if (!course) return;
    const chosen = /** @type {string[]} */ (reply.chosen ?? []);
    const known = words(course);
    this.waits = true;
    const play = await app.loadPlay();
    const replies = await Promise.all(
      chosen.slice(1).map((_, n) => app.client.reply(this.query([...known, ...chosen.slice(0, n + 1)]))),
    ).catch(() => null);
    if (turn !== this.turn) return;
    if (!replies) return this.drop();
    for (const [n, act] of chosen.entries()) {
      if (n > 0) this.step = replies[n - 1]?.step ?? null;
      if (this.step && isStone({ ...stepOf(this.step), act })) play.place(app.game.live, act);
      else this.push(act);
    }
    this.waits = false;
    this.takeStep(reply);
  }

  // The user's acts.

  /** Whether the user may place a stone now, offer a point or keep one. */
  mayPlace() {
    return (this.own?.points.length ?? 0) > 0;
  }

  /** Handles a point that the user has chosen. @param {string} move */
  tap(move) {
    const { app, own } = this;
    if (!own) return;
    const why = this.reason(move);
    if (why) return app.tell(why);
    if (own.kind !== 'offer') return app.withPlay((play) => void play.place(app.game.live, move));
    app.clearInput();
    this.push(move);
    this.advance();
  }

  /** Returns why a point is not allowed, or ''. @param {string} move */
  reason(move) {
    const { own } = this;
    if (!own || own.points.includes(move)) return '';
    if (own.offered?.includes(move)) return t('opening.isoffered', { move: moveText(move) });
    if (own.kind === 'offer') return t('opening.equal', { move: moveText(move) });
    return `${t('opening.notallowed', { move: moveText(move) })} ${this.status()}`;
  }

  /** Called after a stone. Returns a text if it is another one than usual. */
  placed() {
    const { live } = this.app.game;
    if (this.step) this.push(live.move);
    return '';
  }

  /** Adds an act of the player who decides. @param {string} act */
  push(act) {
    const { app, step } = this;
    const { game } = app;
    if (!game.course || !step) return;
    const done = { act, ...stepOf(step) };
    game.course = { ...game.course, acts: [...game.course.acts, done] };
    this.step = null;
    if (!isStone(done)) app.say(this.textOf([done]));
    app.refresh();
    app.save();
  }

  /** Does an act of the user. @param {string} act */
  act(act) {
    if (!this.own) return;
    this.app.clearInput();
    this.push(act);
    this.advance();
  }

  /** Acts for a typed word such as `swap` or `3`. Returns whether the word has a meaning now. @param {string} word */
  word(word) {
    const { own, app } = this;
    if (!own) return false;
    if (own.kind === 'declare' && /^\d+$/.test(word)) return (this.declare(Number(word)), true);
    if (own.kind !== 'swap') return false;
    const act = word === 'black' || word === 'white' ? this.actOfColour(word) : word;
    if (!['swap', 'stay', own.other].includes(act)) return false;
    return (app.clearInput(), this.act(act), true);
  }

  /** @param {number} n */
  declare(n) {
    const most = this.own?.most ?? 1;
    if (Number.isInteger(n) && n >= 1 && n <= most) return this.act(String(n));
    this.app.tell(t('set.range', { what: String(n), from: 1, to: most }));
  }

  /** Returns the act that takes a colour. @param {'black' | 'white'} colour */
  actOfColour(colour) {
    return this.own && this.colourOf(this.own.side) === colour ? 'stay' : 'swap';
  }

  /** The last act that the user can take back leads here; null if there is none. */
  undoTarget() {
    const { course } = this.app.game;
    const before = course && undone(course);
    return before ? (this.app.game.live.path()[before.stones] ?? null) : null;
  }

  /** Takes the user's last act back, with all acts after it. */
  undo() {
    const { app } = this;
    const { game } = app;
    const before = game.course && undone(game.course);
    const node = this.undoTarget();
    if (!before || !node) return;
    this.drop();
    game.course = before.course;
    app.withPlay((play) => play.playOn(node));
  }

  // Texts and marks.

  /** @param {'first' | 'second'} side @returns {'black' | 'white'} */
  colourOf(side) {
    return this.app.colour(side) === 'b' ? 'black' : 'white';
  }

  /** Says which step is to be done. */
  status() {
    const { app, course, step } = this;
    if (!course) return this.endText();
    if (!step || !this.own) return step && course.players[step.player] === 'engine' ? t('opening.wait') : t(`rule.${course.rule}`);
    const both = course.players[1] === course.players[2];
    const who = both ? t('opening.who', { player: step.player, side: app.sideName(step.side) }) : '';
    return [t(`rule.${course.rule}`), who, this.stepText(step)].filter(Boolean).join(': ');
  }

  /** The last act of the opening, until the game goes on. */
  endText() {
    const { app } = this;
    const { course, live, seats } = app.game;
    const last = course?.acts.at(-1);
    if (!last || isStone(last) || live.ply > (course?.stones ?? 0) || app.search || app.over()) return '';
    const isOwn = seats.first !== seats.second && seats[live.turn] === 'you';
    return `${this.textOf([last])} ${isOwn ? t('status.yours') : t('status.turn', { side: app.sideName(live.turn) })}`;
  }

  /** @param {Step} step */
  stepText(step) {
    const { app } = this;
    switch (step.kind) {
      case 'swap':
        return t(step.other ? `opening.ask.${step.other}` : 'swap.ask.colour');
      case 'declare':
        return t('opening.declare', { most: step.most ?? 1 });
      case 'offer':
        return t('opening.offer', { at: (step.offered?.length ?? 0) + 1, all: step.count ?? 1 });
      case 'keep':
        return t('opening.keep', { points: step.points.map(moveText).join(', ') });
      default:
        return t('opening.place', { ply: app.game.live.ply + 1, side: app.sideName(step.stone ?? step.side), where: this.where(step) });
    }
  }

  /** Says where a stone is allowed. @param {Step} step */
  where({ points }) {
    const { shape } = this.app.game;
    const all = (/** @type {string[]} */ names) => names.flatMap((name) => pointOf(name, shape) ?? []);
    const centre = { c: Math.floor(shape.w / 2), r: Math.floor(shape.h / 2) };
    const region = regionOf(all(points), all(this.freePoints()), centre);
    return region ? t(`opening.${region.kind}`, { size: region.size, move: moveText(nameOf(centre)) }) : t('opening.marked');
  }

  /** The names of all points without a stone. */
  freePoints() {
    const { game } = this.app;
    const stones = game.stones(game.live);
    return Array.from({ length: game.shape.w * game.shape.h }, (_, i) => i)
      .filter((i) => !stones[i])
      .map((i) => nameAt(i, game.shape));
  }

  /** Says what was done, in one sentence. Several acts are offers. @param {Act[]} acts */
  textOf(acts) {
    const [first] = acts;
    const course = this.app.game.course;
    if (!first || !course) return '';
    if (first.kind === 'offer') return t('opening.offered', { points: acts.map(({ act }) => moveText(act)).join(', ') });
    if (first.kind === 'declare') return t('opening.declared', { count: first.act });
    const { players } = course;
    const who = players[1] === players[2] || players[first.player] === 'friend' ? 'player' : players[first.player];
    const side = takenSide(first);
    return t(`swap.${who}.${side ? this.colourOf(side) : first.act}`, { player: first.player });
  }

  /** What happened in the opening, besides stones. @returns {string[]} */
  events() {
    const { course } = this.app.game;
    if (!course) return [];
    /** @type {Act[][]} */
    const groups = [];
    for (const act of course.acts.filter((one) => !isStone(one))) {
      const last = groups.at(-1);
      if (last?.[0]?.kind === 'offer' && act.kind === 'offer') last.push(act);
      else groups.push([act]);
    }
    return [t(`rule.${course.rule}`), ...groups.map((acts) => this.textOf(acts))];
  }

  /** The user's buttons. @returns {import('../../app/parts.js').Choice[]} */
  choices() {
    const { own } = this;
    if (own?.kind === 'declare') return [this.numberChoice(own.most ?? 1)];
    if (own?.kind !== 'swap') return [];
    const colours = /** @type {const} */ (['black', 'white']).map((colour) => ({
      text: t(`swap.take.${colour}`),
      act: () => this.act(this.actOfColour(colour)),
    }));
    const { other } = own;
    return other ? [...colours, { text: t(`swap.take.${other}`), act: () => this.act(other) }] : colours;
  }

  /** A field for a number, with its button. @param {number} most @returns {import('../../app/parts.js').Choice} */
  numberChoice(most) {
    const text = t('opening.number');
    const build = () => {
      const field = /** @type {HTMLInputElement} */ (
        el('input', { type: 'number', min: 1, max: most, value: Math.min(2, most), required: true, 'aria-label': text })
      );
      const onsubmit = (/** @type {Event} */ event) => {
        event.preventDefault();
        this.declare(field.valueAsNumber);
      };
      return el('form.numberchoice', { onsubmit, novalidate: true }, field, el('button', { type: 'submit' }, text));
    };
    return { text: `${text} ${most}`, act: () => {}, build };
  }

  /** Marks the allowed points, or the others if they are fewer; and the offers. @param {import('../../board/view.js').Scene} scene */
  scene(scene) {
    const { app, course, step } = this;
    const { game } = app;
    if (!course || !step || app.mode !== 'play' || game.shown !== game.live) return;
    const index = (/** @type {string} */ name) => {
      const point = pointOf(name, game.shape);
      return point ? indexOf(point, game.shape) : 0;
    };
    const offered = step.kind === 'keep' ? step.points : (step.offered ?? []);
    scene.line.push(
      ...offered.map((name, n) => ({ i: index(name), colour: app.colour(game.live.turn), text: String(n + 1), edge: 'best' })),
    );
    for (const name of offered) scene.words.set(index(name), t('label.offered'));
    const banned = this.banned();
    if (banned.length > step.points.length) scene.chosen = step.points.map(index);
    else scene.barred = banned.map(index);
    for (const name of banned) scene.words.set(index(name), t('label.notallowed'));
    if (scene.ghost && step.kind !== 'keep' && scene.words.has(scene.ghost.i)) scene.ghost = null;
  }

  /** @returns {[string, string][]} */
  legend() {
    const banned = this.banned();
    if (!banned.length) return [];
    return [banned.length > (this.own?.points.length ?? 0) ? ['area', t('label.allowed')] : ['barred', t('label.notallowed')]];
  }

  /** The free points on which the user may not place a stone now. An offered point has its own mark. */
  banned() {
    const { own } = this;
    if (!own || !this.mayPlace() || own.kind === 'keep') return [];
    return this.freePoints().filter((name) => !own.points.includes(name) && !own.offered?.includes(name));
  }
}

/** What an act has of its step. @param {Step | null | undefined} step @returns {Omit<Act, 'act'>} */
const stepOf = (step) => ({ kind: step?.kind ?? 'place', player: step?.player ?? 1, side: step?.side ?? 'first' });

/** Returns `swap` or `stay` for the name of a colour. @param {string} act @param {Step | undefined} step */
function plainAct(act, step) {
  if (act !== 'black' && act !== 'white') return act;
  return (act === 'black') === (step?.side === 'first') ? 'stay' : 'swap';
}

/** Writes an act for people. @param {string} act */
const actText = (act) => (/^[a-z]\d/.test(act) ? moveText(act) : act);
