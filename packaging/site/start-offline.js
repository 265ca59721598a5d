// Registers the service worker when the page has loaded, so that it takes no time from the first view.
const policy = globalThis.trustedTypes?.createPolicy('tengen-offline', { createScriptURL: () => new URL('offline.js', document.baseURI).href });

// Where browsers allow none, such as over HTTP, the site works, but not offline.
addEventListener('load', () => void navigator.serviceWorker?.register(policy?.createScriptURL('') ?? 'offline.js').catch(() => {}));
