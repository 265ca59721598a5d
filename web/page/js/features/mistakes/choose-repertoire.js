//! The dialog of repertoires: the kept ones, and new ones from a file, the game shown or the server's shelf.

import { ImportError, readAny, textOf } from '../../app/files.js';
import { close, field, select } from '../../base/dialog.js';
import { el, setText, t } from '../../base/text.js';
import { gamesOf } from '../../record/collection.js';
import { allNodes, readSgf, writeSgf } from '../../record/sgf.js';
import { Tree } from '../../record/tree.js';
import { register as registerMistakes } from './choose.js';
import * as kept from './kept.js';
import { shelfCourse, treeCourse } from './repertoire.js';

/** @typedef {import('../../app/app.js').App} App */
/** @typedef {import('../../record/game.js').Game} Game */
/** @typedef {import('../../record/game.js').Side} Side */
/** @typedef {import('./kept.js').Kept} Kept */

/** The records of kept repertoires that were read, by id. @type {Map<string, Game>} */
const records = new Map();

/** Loads the trainer, and the cards that it asks. @param {App} app @returns {Promise<any>} */
async function register(app) {
  app.known.repertoire ??= { load: () => import('./repertoire.js') };
  await registerMistakes(app);
  return app.load('repertoire');
}

/** Adds the moves and comments of a record to another one. @param {Game} game @param {Game} other */
function graft(game, other) {
  const places = new Map([[other.root, game.root]]);
  for (const node of allNodes(other)) {
    const parent = node.parent && places.get(node.parent);
    const place = parent ? game.add(parent, node.move) : game.root;
    place.comment ||= node.comment;
    places.set(node, place);
  }
}

/** Reads a text as one tree: the games of a collection on the board of the first one together. Returns how many of its games are left out. @param {App} app @param {string} text */
function treeOf(app, text) {
  const games = gamesOf(text);
  if (games.length < 2) return { record: readAny(text, app.game.shape), left: 0 };
  const read = games.flatMap((one) => {
    try {
      return readAny(one.text, app.game.shape);
    } catch (error) {
      if (error instanceof ImportError) return [];
      throw error;
    }
  });
  const [record, ...others] = read;
  if (!record) throw new ImportError(t('import.empty'));
  const start = JSON.stringify([record.shape, record.setup]);
  const fitting = others.filter((one) => JSON.stringify([one.shape, one.setup]) === start);
  for (const one of fitting) graft(record, one);
  return { record, left: games.length - 1 - fitting.length };
}

/** The dialog. @param {App} app */
export async function content(app) {
  const trainer = await register(app);
  const message = el('p.hintline', { id: 'repertoirecount', role: 'status' });
  const fault = el('p.reason', { id: 'repertoirefault', role: 'alert' });
  const list = el('ul.collection');
  const side = select(
    'repertoireside',
    [
      ['first', t('seat.first')],
      ['second', t('seat.second')],
    ],
    'first',
  );
  const chosen = () => /** @type {Side} */ (side.value);
  /** Runs `f` and shows an error of a file. @param {() => void | Promise<void>} f */
  const trying = async (f) => {
    setText(fault, '');
    try {
      await f();
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      setText(fault, error.message);
    }
  };
  /** Keeps a record as a repertoire. @param {string} name @param {Game} record @param {number} left */
  const keep = (name, record, left) => {
    const positions = Tree.of(record).positionsOf(chosen());
    if (!positions) throw new ImportError(t('repertoire.empty'));
    const id = Math.random().toString(36).slice(2, 10);
    const sgf = writeSgf(record, { values: false });
    if (!kept.keep({ id, name, side: chosen(), positions, sgf })) throw new ImportError(t('repertoire.full'));
    records.set(id, record);
    draw();
    setText(message, [t('repertoire.added', { name }), left && t('repertoire.left', { n: left })].filter(Boolean).join(' '));
  };
  /** @param {Kept} one */
  const train = ({ id, sgf, side: own }) => {
    const record = records.get(id) ?? readSgf(sgf);
    records.set(id, record);
    close();
    void trainer.begin(treeCourse(record, own));
  };
  /** @param {Kept} one */
  const row = (one) => {
    const words = `${one.name} · ${t(`seat.${one.side}`)} · ${t('repertoire.positions', { n: one.positions })}`;
    const remove = () => {
      kept.remove(one.id);
      records.delete(one.id);
      draw();
      choose.focus();
    };
    return el(
      'li',
      null,
      el('button.link', { type: 'button', 'data-repertoire': one.id, onclick: () => train(one) }, words),
      el('button.link', { type: 'button', 'aria-label': `${t('delete')}: ${one.name}`, onclick: remove }, t('delete')),
    );
  };
  const draw = () => {
    const { kept: all, damaged } = kept.all();
    list.replaceChildren(...all.map(row));
    setText(message, all.length ? t('repertoire.choose') : t('repertoire.none'));
    setText(fault, damaged ? t('repertoire.damaged', { n: damaged }) : '');
  };
  const choose = /** @type {HTMLInputElement} */ (
    el('input', {
      id: 'repertoirefile',
      type: 'file',
      accept: '.sgf,.txt,.lib,.psq,.pgn,.jsonl',
      onchange: () =>
        void trying(async () => {
          const file = choose.files?.[0];
          if (!file) return;
          const { record, left } = treeOf(app, await textOf(app, file));
          keep(file.name, record, left);
        }),
    })
  );
  const shown = el(
    'button',
    {
      type: 'button',
      id: 'repertoireshown',
      disabled: !app.game.root.children.length,
      onclick: () => void trying(() => keep(app.recordNames() || t(`v.${app.game.shape.variant}`), readSgf(writeSgf(app.game)), 0)),
    },
    t('repertoire.shown'),
  );
  const sources = el('div.choices', null, el('label.file', null, choose, el('span', null, t('import.file'))), shown);
  // Only a server can have a shelf.
  if (app.client.isRemote && app.connection.state === 'open') {
    const { shelf } = await app.client.reply({ action: 'query_version' });
    const begin = () => {
      close();
      void trainer.begin(shelfCourse(app, chosen()));
    };
    if (shelf) sources.append(el('button', { type: 'button', id: 'repertoireshelf', onclick: begin }, t('repertoire.shelf')));
  }
  draw();
  return {
    describedBy: 'repertoirehelp',
    parts: [
      el('p.hintline', { id: 'repertoirehelp' }, t('repertoire.help')),
      message,
      list,
      el('h3', null, t('repertoire.new')),
      field('repertoireside', t('new.seats'), side),
      fault,
      sources,
      el('div.buttons', null, el('button', { type: 'button', onclick: close }, t('close'))),
    ],
  };
}
