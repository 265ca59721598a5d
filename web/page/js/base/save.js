//! Saves files by the browser's download.

import { el } from './text.js';

/** How long a file stays available to the browser, in ms. */
const KEPT_MS = 10_000;

/** Saves a file. @param {string} name @param {BlobPart} data @param {string} type */
export function saveFile(name, data, type) {
  const url = URL.createObjectURL(new Blob([data], { type }));
  const link = /** @type {HTMLAnchorElement} */ (el('a', { href: url, download: name }));
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
