import { connect, type Socket } from 'node:net';

/** An answer: its status and its body as text. */
export type Answer = { status: number; body: string };

/**
 * One HTTP connection that is kept open, one request at a time. Written on the bare socket: a client library would use
 * as much of the two processors as the servers that are compared.
 */
export class KeepAlive {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #settle: { resolve(answer: Answer): void; reject(error: Error): void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk as Buffer));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')));
  }

  static async open(port: number): Promise<KeepAlive> {
    const socket = connect({ port, host: '127.0.0.1' });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', () => resolve());
      socket.once('error', reject);
    });
    return new KeepAlive(socket);
  }

  post(path: string, token: string, body: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(
        `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n` +
          `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end).toLowerCase();
    const rest = this.#received.subarray(end + 4);
    const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
    const body = length === undefined ? chunked(rest) : rest.length < Number(length) ? undefined : rest.toString();
    if (body === undefined) return;
    this.#received = Buffer.alloc(0);
    const { resolve } = this.#settle ?? {};
    this.#settle = null;
    resolve?.({ status: Number(head.slice(9, 12)), body });
  }
}

/** The body of a chunked answer, once its last chunk is there. */
function chunked(bytes: Buffer): string | undefined {
  if (!bytes.subarray(-5).equals(Buffer.from('0\r\n\r\n'))) return undefined;
  let text = '';
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (!size) return text;
    text += bytes.toString('utf8', line + 2, line + 2 + size);
    at = line + 4 + size;
  }
}
