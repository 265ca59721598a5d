// Registers the service worker when the page has loaded, so that it takes no time from the first view.
const policy = globalThis.trustedTypes?.createPolicy('tengen-offline', { createScriptURL: () => new URL('offline.js', document.baseURI).href });

// Where browsers allow none, such as over HTTP, the site works, but not offline.
addEventListener('load', () => void navigator.serviceWorker?.register(policy?.createScriptURL('') ?? 'offline.js').then((registration) => registration && watch(registration), () => {}));

// Chromium starts a new version immediately only if the old one answers no request at that moment, otherwise after 30 s. The
// click that starts it can be the first input of the page, which loads modules.
const QUIET_MS = 1000;
const activate = (worker) => setTimeout(() => worker.postMessage('activate'), QUIET_MS);

// Tells the page that a new version waits, with a function that starts it. All tabs of the site load again then.
const tell = (worker) => dispatchEvent(new CustomEvent('tengen-update', { detail: () => activate(worker) }));

function watch(registration) {
  const { serviceWorker } = navigator;
  const look = () => serviceWorker.controller && registration.waiting && tell(registration.waiting);
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', look));
  look();
  // The first worker of a page takes it over without a change of version.
  let known = serviceWorker.controller;
  serviceWorker.addEventListener('controllerchange', () => {
    if (known) location.reload();
    known = serviceWorker.controller;
  });
  // A browser looks for a new version only when a page is opened.
  document.addEventListener('visibilitychange', () => document.hidden || void registration.update().catch(() => {}));
}
