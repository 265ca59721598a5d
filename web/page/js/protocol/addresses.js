//! The address of the script that runs beside the page. The security policy allows no other.

/** The scripts by name, relative to this module. */
const SCRIPTS = { engine: 'engine-worker.js' };

/** @typedef {{ createPolicy: (name: string, rules: { createScriptURL: (name: string) => string }) => { createScriptURL: (name: string) => any } }} TrustedTypes */

/** @param {string} name */
const addressOf = (name) => {
  if (!Object.hasOwn(SCRIPTS, name)) throw new TypeError(`no script "${name}"`);
  return new URL(SCRIPTS[/** @type {keyof typeof SCRIPTS} */ (name)], import.meta.url).href;
};

const factory = /** @type {{ trustedTypes?: TrustedTypes }} */ (/** @type {unknown} */ (globalThis)).trustedTypes;
const policy = factory?.createPolicy('tengen', { createScriptURL: addressOf }) ?? { createScriptURL: addressOf };

/** Returns the address of a script in the form that the browser trusts. @param {keyof typeof SCRIPTS} name @returns {string} */
export const scriptAddress = (name) => policy.createScriptURL(name);
