//! Files for the installed page: those that the user opens with it, and those that another application shares with it.

/** @typedef {import('./app.js').App} App */

/** The cache in which the service worker of a site keeps shared files, by addresses that end with their names. */
const SHARED = 'shared-files';
/** What the address of the page has then. */
const QUERY = '?shared';

/** Returns the shared files, once. */
async function takeShared() {
  const cache = await caches.open(SHARED);
  const files = (await cache.keys()).map(async (request) => {
    const reply = await cache.match(request);
    return new File(reply ? [await reply.blob()] : [], decodeURIComponent(request.url.split('/').pop() ?? ''));
  });
  const all = await Promise.all(files);
  await caches.delete(SHARED);
  return all;
}

/** Opens what is given to the page now or later. @param {App} app */
export async function listen(app) {
  const open = (/** @type {File[]} */ files) => files.length && app.open('share', { files, opens: true });
  // Only Chromium has it, in an installed page.
  const { launchQueue } =
    /** @type {{ launchQueue?: { setConsumer: (take: (launch: { files: FileSystemFileHandle[] }) => void) => void } }} */ (
      /** @type {unknown} */ (globalThis)
    );
  launchQueue?.setConsumer(({ files }) => void Promise.all(files.map((handle) => handle.getFile())).then(open));
  if (location.search !== QUERY || !globalThis.caches) return;
  history.replaceState(null, '', location.pathname + location.hash);
  open(await takeShared());
}
