//! The page of a run of the arena. Its data come from the server of the run again and again, or stand in the page. It only reads.

import { byId, chooseLanguage, drawIcons, el, hasChanged, setText, setTexts, styles, t, writeTexts } from '../../base/text.js';
import { shortNumber } from '../../base/format.js';
import { errorBar, llrChart } from './charts.js';
import { FinishedGames, LiveGames, clockText } from './games.js';

/** @typedef {import('./types.js').RunGame} RunGame */
/** @typedef {import('./types.js').Test} Test */
/** @typedef {import('./types.js').Failure} Failure */
/** @typedef {import('./types.js').Worker} Worker */
/** @typedef {import('./types.js').Run} Run */

/** The pause between two questions, in ms. */
const PAUSE = 1000;

/** @param {string} path @returns {Promise<any>} */
const fetched = async (path) => (await fetch(path)).json();

/** Returns JSON that stands in the page; null without it. @param {string} id @returns {any} */
const embedded = (id) => JSON.parse(document.getElementById(id)?.textContent ?? 'null');

/** Fills a table. `texts` are the columns with text. @param {string} id @param {string[]} head @param {(Node | string)[][]} rows @param {number[]} texts */
function fillTable(id, head, rows, texts) {
  byId(id).hidden = rows.length === 0;
  const name = (/** @type {string} */ tag, /** @type {number} */ n) => (texts.includes(n) ? `${tag}.run-text` : tag);
  byId(id)
    .querySelector('table')
    ?.replaceChildren(
      el('thead', null, el('tr', null, ...head.map((text, n) => el(name(text ? 'th' : 'td', n), text ? { scope: 'col' } : null, text)))),
      el('tbody', null, ...rows.map((row) => el('tr', null, ...row.map((cell, n) => el(name('td', n), null, cell))))),
    );
}

/** @param {string} id @param {string[]} lines */
function fillList(id, lines) {
  byId(id).hidden = lines.length === 0;
  byId(id)
    .querySelector('ul')
    ?.replaceChildren(...lines.map((line) => el('li', null, line)));
}

class RunPage {
  /** @param {(from: number) => Promise<RunGame[]>} loadGames */
  constructor(loadGames) {
    /** @type {string[]} */
    this.players = [];
    /** The data of each part, as text, when it was drawn. @type {Map<string, string>} */
    this.drawn = new Map();
    const nameOf = (/** @type {number} */ player) => this.players[player] ?? '';
    this.nameOf = nameOf;
    this.live = new LiveGames();
    this.finished = new FinishedGames(loadGames, nameOf);
  }

  /** @param {Run} run */
  async show(run) {
    setText(byId('fault'), run.error ?? '');
    if (run.error !== undefined) return;
    this.players = run.players;
    setText(byId('title'), run.title);
    document.title = run.title;
    setText(byId('state'), this.stateText(run));
    this.part('standings', run.standings, () => this.standings(run));
    this.part('crosstable', [run.players, run.crosstable], () => this.crosstable(run));
    this.part('test', run.test, () => this.test(run.test));
    this.part('failures', run.failures, () => this.failures(run));
    this.part('warnings', run.warnings, () => this.warnings(run));
    const ago = run.workers.map(({ last }) => (last ? clockText(run.now - last) : ''));
    this.part('workers', [run.workers, ago], () => this.workers(run, ago));
    await this.live.show(run.running, this.nameOf);
    await this.finished.update(run.games, run.edition);
  }

  /** Draws a part if its data have changed. @param {string} name @param {unknown} data @param {() => void} draw */
  part(name, data, draw) {
    if (hasChanged(this.drawn, name, data)) draw();
  }

  /** @param {Run} run */
  stateText(run) {
    const all = run.test ? t('run.played', { n: run.done }) : t(run.may_grow ? 'run.least' : 'run.of', { done: run.done, all: run.all });
    const last = Math.max(0, ...run.workers.map((worker) => worker.last));
    const parts = [run.variant, run.rules, t('run.started', { when: run.started }), all];
    if (run.over) parts.push(t('run.over'));
    else if (run.left_seconds !== null) parts.push(t(run.test ? 'run.about' : 'run.left', { time: clockText(run.left_seconds) }));
    if (last && !run.over) parts.push(t('run.ago', { time: clockText(run.now - last) }));
    return parts.join(' · ');
  }

  /** @param {Run} run */
  standings({ standings }) {
    const known = standings.filter(({ elo }) => elo !== null);
    const ends = known.flatMap(({ elo, error }) => [(elo ?? 0) - (error ?? 0), (elo ?? 0) + (error ?? 0)]);
    const range = /** @type {[number, number]} */ ([Math.min(...ends), Math.max(...ends)]);
    const rows = standings.map(({ player, points, games, wdl, elo, error, withdrawn }, place) => [
      String(place + 1),
      this.nameOf(player) + (withdrawn ? ` (${t('run.withdrawn')})` : ''),
      points.toFixed(1),
      String(games),
      wdl.join('-'),
      elo === null ? '' : `${elo < 0 ? '−' : '+'}${Math.abs(elo).toFixed(0)}`,
      error === null ? '' : `±${error.toFixed(0)}`,
      elo === null ? '' : errorBar(elo, error ?? 0, range),
    ]);
    const head = ['#', t('run.name'), t('run.points'), t('run.games'), t('run.wins'), 'Elo', t('run.error'), ''];
    fillTable('standings', head, rows, [1]);
  }

  /** @param {Run} run */
  crosstable({ standings, crosstable }) {
    const order = standings.map(({ player }) => player);
    const cell = (/** @type {number} */ one, /** @type {number} */ other) =>
      one === other ? '·' : (crosstable[one]?.[other]?.join('-') ?? '');
    const rows = order.map((player, place) => [String(place + 1), this.nameOf(player), ...order.map((other) => cell(player, other))]);
    fillTable('crosstable', ['#', t('run.name'), ...order.map((_, place) => String(place + 1))], rows, [1]);
  }

  /** @param {Test | null} test */
  test(test) {
    byId('test').hidden = !test;
    if (!test) return;
    const [low = 0, high = 0] = test.elo;
    const words = [
      `H0 ${low}, H1 ${high} Elo (${test.model})`,
      t('run.llr', { llr: test.llr.toFixed(2), low: test.bounds[0].toFixed(2), high: test.bounds[1].toFixed(2), pairs: test.pairs }),
    ];
    if (test.decision) words.push(t('run.accepted', { what: test.decision }));
    setText(byId('testwords'), [...words, `LL LD DD WD WW: ${test.counts.join(' ')}`].join(' · '));
    byId('llr').replaceChildren(llrChart(test));
  }

  /** @param {Run} run */
  failures({ failures }) {
    const line = (/** @type {Failure} */ { game, player, text, withdrawn }) => [
      game ? t('run.gameno', { n: game }) : '',
      player == null ? '' : this.nameOf(player),
      withdrawn ? t('run.withdrawn') : '',
      text,
    ];
    fillList(
      'failures',
      failures.toReversed().map((failure) => line(failure).filter(Boolean).join(' · ')),
    );
  }

  /** @param {Run} run */
  warnings({ warnings }) {
    fillList(
      'warnings',
      warnings.map(({ player, what, count }) => `${this.nameOf(player)} · ${what}: ${count}`),
    );
  }

  /** @param {Run} run @param {string[]} ago */
  workers({ workers }, ago) {
    const rows = workers.map(({ name, games, game_seconds: seconds, nps }, n) => [
      name || t('run.here'),
      String(games),
      clockText(seconds),
      nps === null ? '' : shortNumber(Math.round(nps)),
      ago[n] ?? '',
    ]);
    fillTable('workers', [t('run.worker'), t('run.games'), t('run.time'), t('run.nps'), t('run.last')], rows, [0]);
  }
}

/** Shows the run again and again. @param {RunPage} page */
async function watch(page) {
  for (;;) {
    if (!document.hidden) {
      try {
        await page.show(await fetched('run/run.json'));
      } catch {
        setText(byId('fault'), t('run.gone'));
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

async function start() {
  const [data, texts] = [embedded('data'), embedded('texts')];
  const language = chooseLanguage(null, navigator.languages);
  const own = texts ? [texts[language]] : await Promise.all([`lang/${language}.json`, `lang/${language}.run.json`].map(fetched));
  setTexts(language, Object.assign({}, ...own));
  document.documentElement.lang = language;
  drawIcons();
  writeTexts();
  if (!data) return watch(new RunPage((from) => fetched(`run/games/${from}.json`)));
  for (const name of ['board/marks', 'board/frames']) styles.set(name, Promise.resolve());
  return new RunPage(async (from) => data.games.slice(from, from + 100)).show(data.run);
}

if (typeof document !== 'undefined') void start();
