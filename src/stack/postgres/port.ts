import { createServer } from 'node:net';

/** A free TCP port on the loopback address; `preferred` when that one is free. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred) {
    const port = await probe(preferred).catch(() => undefined);
    if (port) return port;
  }
  return probe(0);
}

/** @throws EADDRINUSE when something listens there */
export async function requireFreePort(port: number): Promise<void> {
  await probe(port);
}

function probe(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.unref();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
