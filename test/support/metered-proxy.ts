import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';

/** A TCP proxy that counts, and that can fall silent: the sockets stay open and carry nothing. */
export interface MeteredProxy {
  /** The given connection string, through this proxy. */
  through(url: string): string;
  /** Bytes from the server so far. */
  received(): number;
  silence(): void;
  stop(): Promise<void>;
}

export async function startMeteredProxy(port: number): Promise<MeteredProxy> {
  const sockets = new Set<Socket>();
  let received = 0;
  const server = createServer((client) => {
    const upstream = dial(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    upstream.on('data', (chunk) => {
      received += chunk.length;
    });
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    through(url) {
      const changed = new URL(url);
      changed.port = String((server.address() as AddressInfo).port);
      return changed.href;
    },
    received: () => received,
    silence() {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
