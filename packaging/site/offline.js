// The service worker of the site: after the first visit, the page and the engine work without the network. It answers for the files
// of the site only: what else lies at its address goes to the network, and is not kept.
// `packaging/build site` writes the version and the names below. A new version has a new cache, and waits until no page of the
// old one is open, or until the user wishes it: then all pages load again. So all files of a page are of one version.
const CACHE = 'tengen-' + 'VERSION';
const FILES = ['FILES'];
// The engine with one thread, and the one on shared memory. The page loads the second one where the browser allows it.
const ALONE = ['ALONE'];
const SHARED_ENGINE = ['SHARED'];
const [ENGINE, OTHER] = self.crossOriginIsolated && navigator.hardwareConcurrency > 1 ? [SHARED_ENGINE, ALONE] : [ALONE, SHARED_ENGINE];
// Kept when they are first fetched.
const LATER = ['LATER'];
// Files that another application shares with the installed page lie in this cache until the page takes them.
const SHARED = 'shared-files';
const SHARE = new URL('share', self.registration.scope).href;
const OWN = new Set([...FILES, ...ENGINE, ...OTHER, ...LATER].map((name) => new URL(name, self.registration.scope).href));

// A file that the browser has is not sent again, if it has not changed.
const fresh = (name) => new Request(name, { cache: 'no-cache' });

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([...FILES, ...ENGINE].map(fresh))));
});

self.addEventListener('activate', (event) => {
  const isOld = (name) => name.startsWith('tengen-') && name !== CACHE;
  const clear = caches.keys().then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name))));
  event.waitUntil(clear.then(() => self.clients.claim()));
});

self.addEventListener('message', ({ data }) => {
  if (data === 'activate') void self.skipWaiting();
});

// Answers from the cache.
const answer = async (request) => {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request, { ignoreSearch: true, ignoreVary: true, ignoreMethod: true });
  if (known && request.method === 'HEAD') return new Response(null, known);
  if (known) return known;
  const reply = await fetch(request);
  if (reply.status === 200 && reply.type === 'basic' && request.method === 'GET') await cache.put(request, reply.clone());
  return reply;
};

// Keeps the files of a form, or its text as one, and shows the page.
const receive = async (request) => {
  const form = await request.formData();
  const text = form.get('text') || form.get('url');
  const files = form.getAll('files');
  const shared = files.length || !text ? files : [new File([text], 'shared.txt')];
  const cache = await caches.open(SHARED);
  await Promise.all(shared.map((file, n) => cache.put(`${SHARE}/${n}/${encodeURIComponent(file.name)}`, new Response(file))));
  return Response.redirect(new URL('./?shared', self.registration.scope).href, 303);
};

self.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (origin + pathname === SHARE && method === 'POST') return event.respondWith(receive(event.request));
  if (OWN.has(origin + pathname) && (method === 'GET' || method === 'HEAD')) event.respondWith(answer(event.request));
});
