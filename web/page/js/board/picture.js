//! Pictures of the board: a copy of the page's picture with all styles written into it.

/** @typedef {import('./view.js').BoardView} BoardView */

/** The style properties that a picture needs and that parts inherit. */
const INHERITED = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linecap',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
  'paint-order',
  'stroke-linejoin',
];
/** Further style properties, with their values where no style sets them. */
const OWN = { opacity: '1', 'stop-color': 'rgb(0, 0, 0)', 'stop-opacity': '1' };
/** Layers that show the pointer and the cursor, not the position. */
const TRANSIENT = '.l-aim, .l-ghost, .l-cursor';
/** The parts that a user can leave out, as CSS selectors. */
const PARTS = /** @type {Record<string, string>} */ ({ coords: '.coords, .letters', numbers: '.stone text', discs: '.l-discs' });

/** Returns a board as an SVG file. @param {BoardView} board @param {string[]} without parts to leave out */
export function boardSvg(board, without) {
  const { picture, size } = board;
  const copy = /** @type {SVGElement} */ (picture.cloneNode(true));
  const from = picture.querySelectorAll('*');
  /** The inherited values of the elements before. @type {Map<Element, string[]>} */
  const known = new Map();
  copy.querySelectorAll('*').forEach((node, n) => {
    const original = from[n];
    if (!original) return;
    const style = getComputedStyle(original);
    if (style.display === 'none') node.setAttribute('display', 'none');
    // What the element around has need not be said again: a picture with all values is large, and slow to draw.
    const around = original.parentElement && known.get(original.parentElement);
    const write = (/** @type {string} */ name, /** @type {string} */ value, /** @type {string | undefined} */ implied) => {
      if (value && value !== 'none 0px' && (value !== implied || node.hasAttribute(name))) {
        node.setAttribute(name, value.replaceAll('"', "'").replace(/url\('?[^#]*#(\w+)'?\)/, 'url(#$1)'));
      }
    };
    const values = INHERITED.map((name) => style.getPropertyValue(name));
    known.set(original, values);
    INHERITED.forEach((name, i) => write(name, values[i] ?? '', around?.[i]));
    for (const [name, initial] of Object.entries(OWN)) write(name, style.getPropertyValue(name), initial);
    node.removeAttribute('style');
  });
  const hidden = [TRANSIENT, ...without.map((part) => PARTS[part] ?? '')].filter(Boolean).join(', ');
  for (const node of copy.querySelectorAll(hidden)) node.remove();
  for (const node of copy.querySelectorAll('[class]')) node.removeAttribute('class');
  for (const name of ['class', 'aria-hidden', 'focusable', 'id']) copy.removeAttribute(name);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(size?.width));
  copy.setAttribute('height', String(size?.height));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

/** Draws a board on a canvas. @param {BoardView} board @param {number} scale @param {string[]} without parts to leave out */
export async function boardCanvas(board, scale, without) {
  const url = URL.createObjectURL(new Blob([boardSvg(board, without)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.round((board.size?.width ?? 0) * scale);
    canvas.height = Math.round((board.size?.height ?? 0) * scale);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Returns a board as a PNG file. @param {BoardView} board @param {number} scale @param {string[]} without @returns {Promise<Blob>} */
export async function boardPng(board, scale, without) {
  const canvas = await boardCanvas(board, scale, without);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'));
}
