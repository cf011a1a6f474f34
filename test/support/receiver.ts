// A webhook's receiver: takes messages, keeps them, and can misbehave, die and come back on the same port.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Document } from './envelopes.ts';

/** A message as it came. */
export interface Message {
  id: string;
  timestamp: number;
  signatures: string[];
  contentType: string;
  body: string;
  event: Document;
  path: string;
  headers: IncomingMessage['headers'];
}

export type Behaviour = (message: Message, response: ServerResponse) => void;

export const taking: Behaviour = (_, response) => response.writeHead(204).end();
export const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
export const hanging: Behaviour = () => undefined;

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** Every message that came, whatever was answered. */
  readonly came: Message[];
  /** Messages that were answered 2xx. */
  readonly took: Message[];
  /** Both, in the order they happened. */
  readonly log: { word: 'came' | 'took'; id: string }[];
  behave(behaviour: Behaviour): void;
  /** Cuts every connection and stops to listen, as when the process is killed. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Starts a receiver on a free port of this machine; it is stopped after the test. */
export async function startReceiver(behaviour: Behaviour = taking): Promise<Receiver> {
  let behave = behaviour;
  let server: Server;
  let port = 0;
  const came: Message[] = [];
  const took: Message[] = [];
  const log: Receiver['log'] = [];
  const listen = async () => {
    server = createServer(async (request, response) => {
      const message = await read(request);
      if (!message) return;
      came.push(message);
      log.push({ word: 'came', id: message.id });
      response.once('finish', () => {
        if (response.statusCode >= 300) return;
        took.push(message);
        log.push({ word: 'took', id: message.id });
      });
      behave(message, response);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  };
  await listen();
  const kill = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  // The test may have killed it already.
  onTestFinished(() => (server.listening ? kill() : undefined));
  return {
    get url() {
      return `http://127.0.0.1:${port}/hook`;
    },
    get port() {
      return port;
    },
    came,
    took,
    log,
    behave(next) {
      behave = next;
    },
    kill,
    restart: listen,
  };
}

async function read(request: IncomingMessage): Promise<Message | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  const body = Buffer.concat(chunks).toString('utf8');
  const header = (name: string) => String(request.headers[name] ?? '');
  return {
    id: header('webhook-id'),
    timestamp: Number(header('webhook-timestamp')),
    signatures: header('webhook-signature').split(' '),
    contentType: header('content-type'),
    body,
    event: JSON.parse(body),
    path: request.url ?? '',
    headers: request.headers,
  };
}

/** As a receiver verifies a Standard Webhooks message with its secret, written apart from what signs. */
export function verifies(message: Message, secret: string, toleranceS = 300): boolean {
  if (Math.abs(Date.now() / 1000 - message.timestamp) > toleranceS) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const wanted = createHmac('sha256', key).update(`${message.id}.${message.timestamp}.${message.body}`).digest();
  return message.signatures.some((signature) => {
    const [version, encoded = ''] = signature.split(',');
    const given = Buffer.from(encoded, 'base64');
    return version === 'v1' && given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}
