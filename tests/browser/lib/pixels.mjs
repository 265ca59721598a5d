// The pixels of pictures. The browser decodes them, so that no other program is needed.

/**
 * Returns the pixels of a picture, row by row.
 * @param {import('playwright-core').Page} page @param {Buffer} picture @param {{ type?: string, size?: number }} [options] size: scales the picture to a square
 * @returns {Promise<{ width: number, height: number, light: number[], colours: number[] }>} light: lightness from 0 to 255; colours: red, green, blue of each pixel
 */
export function pixels(page, picture, { type = 'image/png', size = 0 } = {}) {
  return page.evaluate(async ([base64, mime, square]) => {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([bytes], { type: mime }));
    await image.decode();
    const [width, height] = square ? [square, square] : [image.naturalWidth, image.naturalHeight];
    const draw = new OffscreenCanvas(width, height).getContext('2d');
    draw.drawImage(image, 0, 0, width, height);
    const { data } = draw.getImageData(0, 0, width, height);
    const light = [];
    const colours = [];
    for (let i = 0; i < data.length; i += 4) {
      colours.push(data[i], data[i + 1], data[i + 2]);
      light.push(0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2]);
    }
    return { width: image.naturalWidth, height: image.naturalHeight, light, colours };
  }, [picture.toString('base64'), type, size]);
}

/** Returns the pixels of the cell around a point. @param {import('./board.mjs').Board} board @param {string} point */
export async function pictureOf(board, point) {
  const { x, y, cell } = await board.at(point);
  const half = Math.floor(cell / 2) + 1;
  const clip = { x: Math.round(x) - half, y: Math.round(y) - half, width: 2 * half, height: 2 * half };
  return pixels(board.page, await board.page.screenshot({ clip, animations: 'disabled' }));
}

/** The share of pixels, 0 to 1, whose lightness differs by more than `step`. */
export function share(a, b, step) {
  return a.light.filter((value, n) => Math.abs(value - b.light[n]) > step).length / a.light.length;
}

/** The difference in lightness between the lightest and the darkest pixel. */
export const range = ({ light }) => Math.max(...light) - Math.min(...light);
