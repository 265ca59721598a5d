//! Threats on wish: what the opponent would win with if the side to move passed. With the engine in the page, all
//! threats of the opponent are listed and marked: fours, open threes, and wins.

import { request } from '../../app/positions.js';
import { t } from '../../base/text.js';
import { indexOf, moveText, other, pointOf } from '../../record/game.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Node} Node */
/** @typedef {import('../../record/game.js').Side} Side */
/** @typedef {{ move: string, kind: string, win_in?: number | null, line: string[] }} Threat */

/** Nodes of the search after a pass. */
const NODES = 50_000;
/** How many threats have a button. */
const MAX_BUTTONS = 12;

/** The signs of threats on the board, by the engine's names. @type {Record<string, string>} */
const SIGNS = {
  five: '5',
  'open four or double-four': '4+',
  'four and open three': '43',
  four: '4',
  'two open threes': '33',
  'open three': '3',
};

/** @param {App} app */
export const mount = (app) => new Threats(app);

class Threats {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** What is shown, and where. @type {{ node: Node, side: Side, threats: Threat[] } | null} */
    this.shown = null;
    this.commands = { threats: () => this.find() };
  }

  /** Another position is shown. @param {Node} node */
  follow(node) {
    if (this.shown?.node !== node) this.shown = null;
  }

  gameChanged() {
    this.shown = null;
  }

  /** Looks for threats. A server on a network lists none: there the engine searches after a pass. */
  find() {
    const { app } = this;
    if (app.over()) return app.tell(app.resultText());
    app.tell(t('threats.searching'));
    if (app.client.isRemote || app.game.shape.gravity || app.game.shape.k !== 5) this.search();
    else this.list();
  }

  /** Asks the engine. @param {import('../../protocol/client.js').Query} query @param {(reply: import('../../protocol/client.js').Reply, side: Side) => void} show */
  ask(query, show) {
    const { app } = this;
    const node = app.game.shown;
    request(app, node, query, {
      valid: () => app.game.shown === node,
      again: () => this.find(),
      on: (reply, last) => {
        if (last) show(reply, other(node.turn));
      },
    });
  }

  /** Lists all threats of the opponent. */
  list() {
    this.ask({ action: 'position', include_threats: true, include_legal: false, include_forbidden: false }, (reply, side) => {
      const found = reply.threats?.find((/** @type {any} */ one) => one.side === side);
      const threats = /** @type {Threat[]} */ (found?.moves ?? []);
      this.shown = { node: this.app.game.shown, side, threats };
      if (!threats.length) return this.tellNone(side);
      const choices = threats.slice(0, MAX_BUTTONS).map((threat) => ({ text: this.textOf(threat), act: () => this.preview(threat, side) }));
      const rest = found?.complete === false ? ` ${t('threats.open')}` : '';
      this.app.tell(t('threats.list', { side: this.app.sideName(side), n: threats.length }) + rest, choices);
    });
  }

  /** Shows how the opponent would win after a pass. */
  search() {
    const { app } = this;
    const passed = { moves: [], fen: app.game.fen(app.game.shown, other(app.game.shown.turn)), nodes: NODES };
    this.ask({ ...passed, ...app.effort() }, (reply, side) => {
      const win = reply.score && 'win_in' in reply.score ? reply.score.win_in : null;
      if (win === null) return this.tellNone(side);
      const line = /** @type {string[]} */ (reply.pv ?? []).slice(0, win);
      app.setPreview({ moves: line, kind: 'bad', from: 'hint', side });
      app.tell(t('threats.win', { side: app.sideName(side), n: Math.ceil(win / 2), line: line.map(moveText).join(' ') }));
    });
  }

  /** @param {Side} side */
  tellNone(side) {
    this.app.tell(t('threats.none', { side: this.app.sideName(side) }));
  }

  /** Shows the line of a threat as stones. @param {Threat} threat @param {Side} side */
  preview({ move, line }, side) {
    this.app.setPreview({ moves: line.length ? line : [move], kind: 'bad', from: 'hint', side });
  }

  /** Describes a threat, such as "G8: open four, wins in 2". @param {Threat} threat */
  textOf({ move, kind, win_in: plies }) {
    const sign = SIGNS[kind];
    const name = sign ? t(`threat.${sign}`) : kind;
    return plies ? t('threat.wins', { move: moveText(move), kind: name, count: Math.ceil(plies / 2) }) : `${moveText(move)}: ${name}`;
  }

  /** Marks the threats. @param {import('../../board/view.js').Scene} scene */
  scene(scene) {
    const { app, shown } = this;
    if (!shown || shown.node !== app.game.shown || !app.note || app.preview) return;
    scene.discs = shown.threats.flatMap(({ move, kind, win_in: plies }) => {
      const point = pointOf(move, app.game.shape);
      return point ? [{ i: indexOf(point, app.game.shape), kind: plies ? 'bad' : 'doubt', text: SIGNS[kind] ?? '!' }] : [];
    });
    for (const threat of shown.threats) {
      const point = pointOf(threat.move, app.game.shape);
      if (point) scene.words.set(indexOf(point, app.game.shape), this.textOf(threat));
    }
  }
}
