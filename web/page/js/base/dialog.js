//! The shell of every dialog: how it is shown and closed, where the focus goes, and form fields.

import { byId, el, icon, setAttribute, t } from './text.js';

/** What a dialog shows. `title`: if it is not the text `dialog.NAME`; `describedBy`: the id of the text that screen readers read after the title; `focus`: a CSS selector @typedef {{ parts: HTMLElement[], title?: string, describedBy?: string, focus?: string }} Content */

/** The path of the icon that closes a dialog or removes a stone. */
const CLOSE = 'M4.5 4.5l11 11m0-11l-11 11';

/** A CSS selector of the fields below the head of a dialog. */
const FIELDS = 'h2 ~ * :is(select, input, button, textarea), .dialoghead ~ * :is(select, input, button, textarea)';

/** The time, in ms, that a screen reader needs to notice the focus of a dialog. */
const FOCUS_DELAY = 100;

/**
 * Shows a dialog. The focus goes first to the dialog itself, so that screen readers read its title
 * and text. Then the focus goes to the first focusable element that matches `preferred`, else to the
 * first field below the head. A dialog without fields keeps the focus. Earlier announcements are
 * removed: otherwise screen readers repeat them when the dialog closes. A closed dialog leaves the page.
 * @param {HTMLDialogElement} dialog @param {string} preferred a CSS selector
 */
async function show(dialog, preferred) {
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  byId('say').replaceChildren();
  byId('alert').replaceChildren();
  setAttribute(dialog, 'aria-modal', 'true');
  dialog.tabIndex = -1;
  dialog.showModal();
  dialog.focus();
  await new Promise((resolve) => {
    setTimeout(resolve, FOCUS_DELAY);
  });
  /** @type {NodeListOf<HTMLElement>[]} */
  const candidates = [dialog.querySelectorAll(preferred), dialog.querySelectorAll(FIELDS)];
  for (const node of candidates.flatMap((list) => [...list])) {
    if (document.activeElement === dialog) node.focus();
  }
}

/** Opens a dialog in place of the one that is open. The focus returns when it closes. @param {string} name @param {Content} content */
export async function open(name, { parts, title = t(`dialog.${name}`), describedBy, focus = '[aria-pressed=true]' }) {
  for (const other of document.querySelectorAll('dialog')) other.close();
  const closing = el(
    'button.plain.closing',
    { type: 'button', 'aria-label': t('close'), onclick: () => dialog.close() },
    icon('close', CLOSE),
  );
  const dialog = /** @type {HTMLDialogElement} */ (
    el(
      `dialog.d-${name}`,
      { 'aria-labelledby': 'dialogtitle', 'aria-describedby': describedBy },
      el('div.dialoghead', null, el('h2', { id: 'dialogtitle' }, title), closing),
      ...parts,
    )
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  await show(dialog, focus);
}

/** Closes the open dialog, if any. */
export function close() {
  document.querySelector('dialog')?.close();
}

/**
 * Builds a form row: a label and its fields.
 * @param {string} id @param {string} label @param {...HTMLElement} fields
 */
export function field(id, label, ...fields) {
  return el('div.field', { id: `field-${id}` }, el('label', { for: id }, label), el('div.inputs', null, ...fields));
}

/** Builds a list of choices. @param {string} id @param {[string, string][]} options @param {string} value @param {() => void} [changed] */
export function select(id, options, value, changed) {
  const node = /** @type {HTMLSelectElement} */ (
    el('select', { id, ...(changed ? { onchange: changed } : {}) }, ...options.map(([key, text]) => el('option', { value: key }, text)))
  );
  node.value = value;
  return node;
}

/** Builds a field for a number. @param {string} id @param {number} value @param {number} min @param {number} max @param {string} label @param {() => void} [changed] */
export function number(id, value, min, max, label, changed) {
  return /** @type {HTMLInputElement} */ (
    el('input', {
      id,
      type: 'number',
      value,
      min,
      max,
      step: 'any',
      inputmode: 'decimal',
      'aria-label': label,
      oninput: changed ?? (() => {}),
    })
  );
}

/** Builds a group of radio buttons. @param {string} name @param {string} label @param {[string, string][]} options @param {string} value @param {() => void} changed */
export function radios(name, label, options, value, changed) {
  return el(
    'fieldset.radios',
    null,
    el('legend', null, label),
    el(
      'div.inputs',
      null,
      ...options.map(([key, text]) =>
        el(
          'label',
          null,
          el('input', { type: 'radio', name, value: key, checked: key === value, onchange: changed }),
          el('span', null, text),
        ),
      ),
    ),
  );
}
