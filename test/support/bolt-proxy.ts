import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy before a Neo4j that can fall silent, and that can lose one answer to a commit. */
export interface BoltProxy {
  /** `bolt://…`: a routing driver would go past the proxy. */
  uri: string;
  /** Holds everything in both directions back, and new connections too; none is closed. */
  stall(): void;
  resume(): void;
  /** Lets the next commit through to the server, waits for its answer, and cuts the connection instead of passing it on. */
  loseNextCommit(): void;
  /** How many answers to a commit were lost. */
  readonly lost: number;
  stop(): Promise<void>;
}

/** COMMIT as Bolt sends it: a chunk of two bytes, a structure without fields, its tag. */
const COMMIT = Buffer.from([0x00, 0x02, 0xb0, 0x12, 0x00, 0x00]);

export async function startBoltProxy(target: string): Promise<BoltProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let stalled = false;
  let losing = false;
  let lost = 0;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let cutNextAnswer = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      if (stalled) socket.pause();
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (losing && chunk.includes(COMMIT)) {
        losing = false;
        cutNextAnswer = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!cutNextAnswer) return void client.write(chunk);
      lost += 1;
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    uri: `bolt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stall() {
      stalled = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      stalled = false;
      for (const socket of sockets) socket.resume();
    },
    loseNextCommit() {
      losing = true;
    },
    get lost() {
      return lost;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
