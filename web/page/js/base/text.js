//! Texts in the user's language, and helpers that build elements without `innerHTML`. The module knows
//! no games.

/** @typedef {Record<string, string>} Texts */

/** The languages of the page, each in its own name. */
export const LANGUAGES = /** @type {Record<string, string>} */ ({
  en: 'English',
  zh: '中文',
  ja: '日本語',
  vi: 'Tiếng Việt',
  ru: 'Русский',
});

/** @type {Texts} */
let texts = {};
/** @type {Texts} */
let english = {};
let plural = new Intl.PluralRules('en');
let language = 'en';
/** The texts that the first view does not need. @type {Texts | undefined} */
let rest;

/** The language in use. */
export const languageNow = () => /** @type {'en' | 'zh' | 'ja' | 'vi' | 'ru'} */ (language);

/**
 * Chooses a language of the page: `preferred` if the page has it, else the first known one of `accepted`,
 * else English.
 * @param {string | null | undefined} preferred
 * @param {readonly string[]} accepted
 */
export function chooseLanguage(preferred, accepted) {
  if (preferred && preferred in LANGUAGES) return preferred;
  const known = accepted.map((tag) => tag.toLowerCase().split('-')[0] ?? '').find((tag) => tag in LANGUAGES);
  return known ?? 'en';
}

/**
 * Sets the texts of a language. Missing keys use `fallback`, the English texts.
 * @param {string} name @param {Texts} own @param {Texts} [fallback]
 */
export function setTexts(name, own, fallback = {}) {
  language = name;
  texts = own;
  rest = loading = undefined;
  english = fallback;
  plural = new Intl.PluralRules(name);
}

let onMissing = () => {};

/** @param {() => void} f called when texts have been loaded that were missing */
export function whenMissingTexts(f) {
  onMissing = f;
}

/** @param {string} name @returns {Promise<Texts>} */
const read = async (name) => (await fetch(`lang/${name}.json`)).json();

/** Loads the texts of a language that the first view needs. @param {string} name */
export async function loadLanguage(name) {
  const own = await read(name);
  const hadRest = rest;
  setTexts(name, own);
  if (hadRest) await loadRest();
}

/** The load of the other texts that runs. @type {Promise<Texts> | undefined} */
let loading;

/** Loads the other texts of the language, once. */
export async function loadRest() {
  if (rest) return;
  const name = language;
  const own = await (loading ??= read(`${name}.more`).finally(() => (loading = undefined)));
  if (name === language) rest = own;
}

/**
 * Returns the text of a key, with values in place of `{name}`. A value `n` chooses the plural form:
 * `key.one`, `key.few`, `key.other`.
 * @param {string} key @param {Record<string, string | number>} [values]
 */
export function t(key, values) {
  const n = values?.n;
  const form = typeof n === 'number' ? `${key}.${plural.select(n)}` : key;
  const of = (/** @type {Texts} */ all) => all[form] ?? all[`${key}.other`] ?? all[key];
  const text = of(texts) ?? of(rest ?? {}) ?? of(english);
  if (text === undefined) {
    if (language !== 'en' && !('app.name' in english)) void loadEnglish().catch(() => {});
    return key;
  }
  return values ? text.replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all)) : text;
}

/** Loads the English texts, for keys that are missing. */
async function loadEnglish() {
  english = { 'app.name': 'Tengen' };
  english = Object.assign({}, ...(await Promise.all([read('en'), read('en.more')])));
  onMissing();
}

/**
 * Builds an element: `el('button.primary', { onclick }, 'Text')`. Attributes that are `null` or
 * `false` are omitted. Functions become listeners.
 * @param {string} name tag and classes, such as `div.card.tall`
 * @param {Record<string, any> | null} [attributes]
 * @param {...(Node | string | null | false | undefined)} children
 * @returns {HTMLElement}
 */
export function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split('.');
  const node = document.createElement(tag ?? 'div');
  if (classes.length) node.className = classes.join(' ');
  return fill(node, attributes, children);
}

/**
 * Builds an SVG element.
 * @param {string} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...(Node | string | null | false | undefined)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

/**
 * @template {Element} T
 * @param {T} node @param {Record<string, any> | null | undefined} attributes
 * @param {(Node | string | null | false | undefined)[]} children
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function') node.addEventListener(name.slice(2), value);
    else setAttribute(node, name, value);
  }
  for (const child of children) if (child) node.append(child);
  return node;
}

/** @param {Element} node @param {string} name @param {any} value */
export function setAttribute(node, name, value) {
  const isState = name.startsWith('aria-');
  const text = value == null || (value === false && !isState) ? null : value === true && !isState ? '' : String(value);
  if (text === null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

/** Sets the text of an element if it differs. @param {Element} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Writes the texts of all elements that name one: as their content (`data-t`), or as their label (`data-label`). */
export function writeTexts() {
  for (const node of document.querySelectorAll('[data-t]')) setText(node, t(/** @type {HTMLElement} */ (node).dataset.t ?? ''));
  for (const node of document.querySelectorAll('[data-label]')) {
    const text = t(/** @type {HTMLElement} */ (node).dataset.label ?? '');
    node.setAttribute('aria-label', text);
    if (node instanceof HTMLButtonElement) node.title = text;
  }
}

/**
 * Whether `data` differs from the data of the last call with this name. `drawn` holds the data of each name as text.
 * @param {Map<string, string>} drawn @param {string} name @param {unknown} data
 */
export function hasChanged(drawn, name, data) {
  const key = JSON.stringify(data);
  const changed = drawn.get(name) !== key;
  drawn.set(name, key);
  return changed;
}

/**
 * Adds a text to a live region. Each text has its own element, so that a slow screen reader reads none twice.
 * @param {Element} region @param {string} text @param {boolean} [again] also if the text equals the last one
 */
export function announce(region, text, again) {
  if (!again && region.lastChild?.textContent === text) return;
  if (region.childElementCount > 2) region.firstChild?.remove();
  region.append(el('p', null, text));
}

/** The SVG paths of the icons, 20 by 20. */
const ICONS = /** @type {Record<string, string>} */ ({
  plus: 'M10 4v12M4 10h12',
  share: 'M10 12V3m-3.5 3L10 2.7 13.5 6M4 10v6h12v-6',
  globe: 'M17.2 10a7.2 7.2 0 1 1-14.4 0a7.2 7.2 0 1 1 14.4 0M2.8 10h14.4M10 2.8c4 4.4 4 10 0 14.4M10 2.8c-4 4.4-4 10 0 14.4',
  moon: 'M16.5 11.8A7 7 0 0 1 8.2 3.5a7 7 0 1 0 8.3 8.3z',
  sun: 'M13.3 10a3.3 3.3 0 1 1-6.6 0a3.3 3.3 0 1 1 6.6 0M10 2v2m0 12v2M2 10h2m12 0h2M4.3 4.3l1.4 1.4m8.6 8.6l1.4 1.4m0-11.4l-1.4 1.4M5.7 14.3l-1.4 1.4',
  sliders: 'M3 6.5h6.5m3 0H17M9.5 4.5v4M3 13.5h3.5m3 0H17M6.5 11.5v4',
  undo: 'M7 4L3.5 7.5 7 11M3.5 7.5h8a4 4 0 0 1 0 8H9',
  bulb: 'M7.5 13.5c0-2-2-2.7-2-5.5a4.5 4.5 0 0 1 9 0c0 2.8-2 3.5-2 5.5zM8 16.5h4',
  flag: 'M5 17.5v-14c3-2 6 2 10 0v8c-4 2-7-2-10 0',
  first: 'M9.5 5l-5 5 5 5m6-10l-5 5 5 5',
  back: 'M12.5 5l-5 5 5 5',
  forward: 'M7.5 5l5 5-5 5',
  last: 'M4.5 5l5 5-5 5m6-10l5 5-5 5',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
});

/** @param {string} name @param {string} [shape] the path of an icon that is not in {@link ICONS} */
export const icon = (name, shape = ICONS[name]) =>
  svg('svg', { class: `icon i-${name}`, 'aria-hidden': 'true', viewBox: '0 0 20 20' }, svg('path', { d: shape }));

/** Draws the icons of elements with `data-icon`. */
export function drawIcons() {
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-icon]'))) {
    const names = node.dataset.icon?.split(' ') ?? [];
    node.prepend(...names.map((name) => icon(name)));
    node.removeAttribute('data-icon');
  }
}

/**
 * Returns the element with an id. Throws an error if the page has none.
 * @param {string} id @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element "${id}"`);
  return found;
}

/** The two storages of a browser, which may refuse. @param {'local' | 'session'} kind */
const storageOf = (kind) => (kind === 'local' ? localStorage : sessionStorage);

/** Returns an item of the browser's storage; null if it is missing or refused. @param {'local' | 'session'} kind @param {string} key */
export function storedItem(kind, key) {
  try {
    return storageOf(kind).getItem(key);
  } catch {
    return null;
  }
}

/** Stores an item. Returns whether the browser has taken it. @param {'local' | 'session'} kind @param {string} key @param {string} text */
export function storeItem(kind, key, text) {
  try {
    storageOf(kind).setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/** The style sheets of the page. @type {Map<string, Promise<void>>} */
export const styles = new Map();

/** Loads a style sheet of the page, once. @param {string} name its path in `js/`, without the end */
export function loadStyle(name) {
  const known =
    styles.get(name) ??
    new Promise((resolve) => {
      const onerror = () => {
        styles.delete(name);
        resolve(undefined);
      };
      document.head.append(el('link', { rel: 'stylesheet', href: `js/${name}.css`, onload: () => resolve(undefined), onerror }));
    });
  styles.set(name, known);
  return known;
}
