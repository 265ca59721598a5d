//! What the page loads after its first view: the registry of dialogs, and the list of all other modules.

import { loadRest, loadStyle } from './base/text.js';

/** @typedef {import('./app/app.js').App} App */

/** @typedef {Record<string, () => Promise<{ content: (app: App, argument?: any) => import('./base/dialog.js').Content | Promise<import('./base/dialog.js').Content | null> }>>} Dialogs */

/** The modules of dialogs by name. @type {Dialogs} */
const DIALOGS = {
  new: () => import('./dialogs/new-game.js'),
  playfrom: () => import('./dialogs/play-from.js'),
  games: () => import('./dialogs/games.js'),
  settings: () => import('./dialogs/settings.js'),
  language: () => import('./dialogs/language.js'),
  keys: () => import('./dialogs/keys.js'),
  token: () => import('./dialogs/token.js'),
  more: () => import('./dialogs/more.js'),
  share: () => import('./features/share/share.js'),
  collection: () => import('./features/share/collection.js'),
  edit: () => import('./features/edit/edit.js'),
  commentof: () => import('./features/comment/edit.js'),
  puzzles: () => import('./features/puzzles/choose.js'),
};

/** Dialogs of which nothing is loaded before somebody opens them. @type {Dialogs} */
const ON_DEMAND = {
  room: () => import('./features/room/links.js'),
  mistakes: () => import('./features/mistakes/choose.js'),
  repertoire: () => import('./features/mistakes/choose-repertoire.js'),
};

/** Features that the first view does not need. @type {import('./app/parts.js').Parts['features']} */
const FEATURES = {
  continuations: {
    styles: ['features/continuations/continuations', 'board/marks'],
    load: () => import('./features/continuations/continuations.js'),
  },
};

/** Modules that are loaded when somebody uses the page, or when the browser has nothing to do. */
const LATER = [
  () => import('./app/commands.js'),
  () => import('./app/menus.js'),
  () => import('./app/sound.js'),
  () => import('./board/keys.js'),
  () => import('./board/pointer.js'),
  () => import('./board/confirm.js'),
  () => import('./board/frames.js'),
  () => import('./board/loupe.js'),
  () => import('./board/marks.js'),
];
const STYLES = ['board/marks', 'board/frames', 'dialogs/dialogs'];

/** Opens a dialog of the registry. @param {App} app @param {string} name @param {any} argument */
export async function openDialog(app, name, argument) {
  const load = DIALOGS[name] ?? ON_DEMAND[name];
  if (!load) throw new Error(`no dialog "${name}"`);
  const [shell, dialog] = await Promise.all([import('./base/dialog.js'), load(), loadStyle('dialogs/dialogs'), loadRest()]);
  const content = await dialog.content(app, argument);
  if (content) await shell.open(name, content);
}

/** Loads what is not needed at first. @param {App} app @param {import('./app/parts.js').Parts['features']} first the features of the first view */
export async function loadEverything(app, first) {
  const known = { ...first, ...FEATURES };
  Object.assign(app.known, FEATURES);
  const features = Object.keys(known)
    .filter((name) => !known[name]?.mode)
    .map((name) => app.load(name));
  const modules = [...Object.values(known).map(({ load }) => load), ...Object.values(DIALOGS), ...LATER].map((load) => load());
  const styles = [...STYLES, ...Object.values(known).flatMap((feature) => feature.styles ?? [])];
  await Promise.all([
    app.loadPlay(),
    app.loadAutosave(),
    loadRest(),
    import('./base/dialog.js'),
    import('./app/launch.js').then((launch) => launch.listen(app)),
    ...features,
    ...modules,
    ...styles.map(loadStyle),
  ]);
}
