//! Texts in the user's language, and small helpers to build elements without `innerHTML`.
//! It knows nothing of games.

/** @typedef {Record<string, string>} Texts */

/** The languages of the page, each in its own name. */
export const LANGUAGES = /** @type {Record<string, string>} */ ({
  en: 'English', zh: '中文', ja: '日本語', vi: 'Tiếng Việt', ru: 'Русский',
});

/** @type {Texts} */
let texts = {};
/** @type {Texts} */
let english = {};
let plural = new Intl.PluralRules('en');
let language = 'en';
/** Texts of dialogs, review and faults. @type {Texts} */
let rest = {};

/** The language in use. */
export const languageNow = () => language;

/**
 * Chooses a language that the page has: the one wished for, else the browser's first that fits.
 * @param {string | null | undefined} wish
 * @param {readonly string[]} accepted
 */
export function chooseLanguage(wish, accepted) {
  if (wish && wish in LANGUAGES) return wish;
  const known = accepted.map((tag) => tag.toLowerCase().split('-')[0] ?? '').find((tag) => tag in LANGUAGES);
  return known ?? 'en';
}

/**
 * Sets the texts of a language. A key that they lack shows the English text.
 * @param {string} name @param {Texts} own @param {Texts} [fallback]
 */
export function setTexts(name, own, fallback = {}) {
  language = name;
  texts = own;
  rest = {};
  english = fallback;
  plural = new Intl.PluralRules(name);
}

/** @param {string} name @returns {Promise<Texts>} */
const read = async (name) => (await fetch(`lang/${name}.json`)).json();

/** Loads the texts of a language that the first look needs. @param {string} name */
export async function loadLanguage(name) {
  const own = await read(name);
  const had = Object.keys(rest).length > 0;
  setTexts(name, own);
  if (had) await loadRest();
}

/** Loads the other texts of the language, once. */
export async function loadRest() {
  const name = language;
  if (Object.keys(rest).length) return;
  const own = await read(`${name}.more`);
  if (name === language) rest = own;
}

/**
 * The text of a key with its values put in. With a count `n`, the plural form of the language is
 * taken: `key.one`, `key.few`, `key.other`.
 * @param {string} key @param {Record<string, string | number>} [values]
 */
export function t(key, values) {
  const n = values?.n;
  const form = typeof n === 'number' ? `${key}.${plural.select(n)}` : key;
  const of = (/** @type {Texts} */ all) => all[form] ?? all[`${key}.other`] ?? all[key];
  const text = of(texts) ?? of(rest) ?? of(english);
  if (text === undefined) {
    if (language !== 'en' && !('app.name' in english)) void borrowEnglish();
    return key;
  }
  return values ? text.replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all)) : text;
}

/** A key is missing: shows the English text from the next drawing on. */
async function borrowEnglish() {
  english = { 'app.name': 'Tengen' };
  english = { ...await read('en'), ...await read('en.more') };
}

/**
 * Builds an element: `el('button.primary', { onclick }, 'Text')`. Attributes that are `null` or
 * `false` are left out; functions become listeners.
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

/** Sets the text of an element where it differs. @param {Element} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** An icon from the symbols of the page. @param {string} name */
export const icon = (name) =>
  svg('svg', { class: 'icon', 'aria-hidden': 'true' }, svg('use', { href: `#i-${name}` }));

/**
 * The element with this id, which the page is known to have.
 * @param {string} id @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element "${id}"`);
  return found;
}

/** @type {Map<string, Promise<void>>} */
const styles = new Map();

/** Loads a style sheet of the page, once. @param {string} name */
export function loadStyle(name) {
  const known = styles.get(name) ?? new Promise((resolve) => {
    document.head.append(el('link', { rel: 'stylesheet', href: `${name}.css`, onload: () => resolve(undefined), onerror: () => resolve(undefined) }));
  });
  styles.set(name, known);
  return known;
}
