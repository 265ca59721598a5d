// WebSockets between page and server that a test changes.

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
