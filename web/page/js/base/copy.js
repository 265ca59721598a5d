//! Copies texts.

/** Copies the text of a field, also from a page without HTTPS, which has no clipboard. Returns whether the browser did it. @param {HTMLInputElement} field */
export async function copy(field) {
  const before = document.activeElement;
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    if (!document.execCommand('copy')) return false;
  }
  if (before instanceof HTMLElement) before.focus();
  return true;
}
