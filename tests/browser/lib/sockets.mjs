// WebSockets between page and server that a test changes.

/** Keeps the engine's answers of the first connection from the page: there the engine thinks until the connection ends. */
export const holdFirstAnswers = async (page) => {
  let sockets = 0;
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    const first = ++sockets === 1;
    server.onMessage((text) => { if (!first || JSON.parse(String(text)).type !== 'answer') socket.send(text); });
    socket.onMessage((text) => server.send(text));
  });
};

/** Drops the queries for moves of the engine: for the page it thinks without an end. */
export const dropEngineQueries = async (page) => {
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => socket.send(text));
    socket.onMessage((text) => { if (JSON.parse(String(text)).level === undefined) server.send(text); });
  });
};

/** Lets the server tell other sizes of boards. @param {Record<string, object | undefined>} sizes by variant */
export const tellSizes = async (page, sizes) => {
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      const reply = JSON.parse(String(text));
      for (const variant of reply.variants ?? []) if (variant.name in sizes) variant.size = sizes[variant.name];
      socket.send(JSON.stringify(reply));
    });
    socket.onMessage((text) => server.send(text));
  });
};

/** Closes the first connection after its version; every later one tells another version. */
export const serveAnotherVersion = async (page) => {
  let sockets = 0;
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    const another = ++sockets > 1;
    server.onMessage((text) => {
      const reply = JSON.parse(String(text));
      socket.send(reply.type === 'version' && another ? JSON.stringify({ ...reply, version: '99.0.0' }) : text);
      if (reply.type === 'version' && !another) socket.close();
    });
    socket.onMessage((text) => server.send(text));
  });
};
