// Puts a board with a game into a page, behind this script:
// <script src="https://HOST/embed.js" data-game="#v=renju&s=15&m=h8i9j7"></script>
// data-game: the part of a link from the # on, or an SGF record. data-width: from 100 to 2000 CSS pixels, 400 if it is not given.
(() => {
  const { currentScript: script } = document;
  const { game = '', width = '', title = 'Tengen' } = script.dataset;
  const frame = document.createElement('iframe');
  const address = new URL('embed.html', script.src);
  address.hash = game.startsWith('#') ? game : `sgf=${encodeURIComponent(game)}`;
  const pixels = Number(width) > 0 ? Math.min(Math.max(Number(width), 100), 2000) : 400;
  Object.assign(frame, { src: address.href, title, width: pixels, height: pixels + 64, loading: 'lazy' });
  frame.style.border = '0';
  script.after(frame);
})();
