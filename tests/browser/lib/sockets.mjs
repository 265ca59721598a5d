// Changes the messages between page and server.

/** Drops the engine's answers on the first connection, so that the engine seems to think until the connection ends. */
export const dropFirstAnswers = async (page) => {
  let sockets = 0;
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    const first = ++sockets === 1;
    server.onMessage((text) => { if (!first || JSON.parse(String(text)).type !== 'answer') socket.send(text); });
    socket.onMessage((text) => server.send(text));
  });
};

/** Drops the queries for the engine's moves, so that the engine seems to think forever. */
export const dropEngineQueries = async (page) => {
  await page.routeWebSocket(/\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => socket.send(text));
    socket.onMessage((text) => { if (JSON.parse(String(text)).level === undefined) server.send(text); });
  });
};

/** Changes the board sizes that the server reports. @param {Record<string, object | undefined>} sizes by variant */
export const changeSizes = async (page, sizes) => {
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

/** Closes the first connection after the reply with the version. All later connections report another version. */
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
