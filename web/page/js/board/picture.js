//! Pictures of the board: a copy of the page's picture with all styles written into it.

/** @typedef {import('./view.js').Controls} App */

/** The style properties that a picture needs. */
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linecap',
  'stop-color',
  'stop-opacity',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
  'paint-order',
  'stroke-linejoin',
];
/** Layers that show the pointer and the cursor, not the position. */
const TRANSIENT = '.l-aim, .l-ghost, .l-cursor';
/** The parts that a user can leave out, as CSS selectors. */
const PARTS = /** @type {Record<string, string>} */ ({ coords: '.coords, .letters', numbers: '.stone text', discs: '.l-discs' });

/** Returns the board as an SVG file. @param {App} app @param {string[]} without parts to leave out */
function boardSvg(app, without) {
  const { picture, size } = app.board;
  const copy = /** @type {SVGElement} */ (picture.cloneNode(true));
  const from = picture.querySelectorAll('*');
  copy.querySelectorAll('*').forEach((node, n) => {
    const original = from[n];
    if (!original) return;
    const style = getComputedStyle(original);
    if (style.display === 'none') node.setAttribute('display', 'none');
    for (const name of STYLES) {
      const value = style.getPropertyValue(name).replaceAll('"', "'");
      if (value && value !== 'none 0px') node.setAttribute(name, value.replace(/url\('?[^#]*#(\w+)'?\)/, 'url(#$1)'));
    }
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

/**
 * Returns the board as an SVG or PNG file.
 * @param {App} app @param {'svg' | 'png'} kind @param {number} scale @param {string[]} without
 * @returns {Promise<BlobPart>}
 */
export async function savePicture(app, kind, scale, without) {
  const text = boardSvg(app, without);
  if (kind === 'svg') return text;
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.round((app.board.size?.width ?? 0) * scale);
    canvas.height = Math.round((app.board.size?.height ?? 0) * scale);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
