// What makes a page hard to use: what axe finds, and texts that are cut off.
import { createRequire } from 'node:module';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The languages in which everything is checked. */
export const LANGUAGES = process.env.AXE === 'all' ? ['en', 'zh', 'ja', 'vi', 'ru'] : ['en'];
/** Languages in which only the walks marked `short` run. `npm run axe` runs all walks. */
export const OTHERS = process.env.AXE === 'all' ? [] : ['zh', 'ja', 'vi', 'ru'];
export const KINDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Returns the violations that axe finds on the page. Of a page with a modal dialog it checks only the dialog.
 * @param {import('playwright-core').Page} page @param {object} rules the rules to check @returns {Promise<string[]>}
 */
export async function violationsOf(page, rules) {
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.addScriptTag({ path: AXE });
  return page.evaluate(async (runOnly) => {
    await Promise.all(document.getAnimations().map((animation) => animation.finished));
    const { violations } = await globalThis.axe.run(document.querySelector('dialog:modal') ?? document, { resultTypes: ['violations'], preload: false, runOnly });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.any.map((check) => check.message)}`).slice(0, 3).join(' | ')}`);
  }, rules);
}

/** Checks a state in both themes. In the dark theme only colours are checked: nothing else depends on the theme. @param {import('playwright-core').Page} page */
export async function violationsInBothThemes(page) {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await violationsOf(page, KINDS);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await violationsOf(page, { type: 'rule', values: ['color-contrast'] });
  return [...light.map((violation) => `light: ${violation}`), ...dark.map((violation) => `dark: ${violation}`)];
}

/** How many pixels the page is too wide, and the elements that cut their text off. */
export const cutOff = (page) => page.evaluate(() => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  const cut = [...document.querySelectorAll('button, h2, p, label, th, td, summary, .players')].filter((node) => {
    if (!(node instanceof HTMLElement) || !node.offsetParent || node.closest('.sr, .pv, .cells') || node.matches('.pv')) return false;
    const style = getComputedStyle(node);
    return style.overflow !== 'visible' && style.position !== 'absolute' && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0;
  }).map((node) => node.textContent?.trim().slice(0, 40));
  return { wide, cut };
});
