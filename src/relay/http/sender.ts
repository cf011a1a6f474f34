import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { readBody, retryAfterMs, wordsOf } from './answer.ts';
import { faultOf, type SendFault } from './faults.ts';
import { type Address, type Reach, ReachRefused, type Resolver, reachable, systemResolver } from './reach.ts';

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** For everything from the look-up of the name to the end of the answer. */
  timeoutMs: number;
}

/** What a receiver answered. */
export interface Answered {
  answered: true;
  status: number;
  /** `Retry-After`, in milliseconds from now. */
  retryAfterMs: number | null;
  /** `Location` of a redirect, which is never followed. */
  location: string | null;
  body: Buffer;
  /** The body's beginning, for people. */
  words: string;
}
/** There is no answer. */
export interface Unanswered {
  answered: false;
  fault: SendFault;
}

export interface SenderOptions {
  reach: Reach;
  ca?: string;
  resolve?: Resolver;
}

/** Sends requests to addresses that others chose. */
export interface Sender {
  post(post: Post): Promise<Answered | Unanswered>;
  close(): void;
}

/**
 * Every name is looked up here, every address of it checked, and the connection made to an address that was checked: what
 * the name says a moment later makes no difference. Redirects are answers. Time and the size of an answer are bounded.
 */
export function createSender({ reach, ca, resolve = systemResolver }: SenderOptions): Sender {
  const kept = { keepAlive: true, maxFreeSockets: 8, timeout: 30_000 };
  const agents = { http: new http.Agent(kept), https: new https.Agent(kept) };
  return {
    async post(post) {
      const overdue = new AbortController();
      const timer = setTimeout(() => overdue.abort(), post.timeoutMs);
      try {
        const url = parsed(post.url);
        const addresses = await unlessOver(reachable(url, reach, resolve), overdue.signal);
        const agent = url.protocol === 'https:' ? agents.https : agents.http;
        const options = { method: 'POST', headers: headersFor(post), lookup: pinnedTo(addresses), ca };
        const over = overdue.signal;
        let response: IncomingMessage;
        try {
          response = await unlessOver(send(url, { ...options, agent, signal: over }, post.body), over);
        } catch (error) {
          // A kept connection that the other side had closed meanwhile says nothing about the receiver.
          if (!(error instanceof StaleConnection)) throw error;
          response = await unlessOver(send(url, { ...options, agent: false, signal: over }, post.body), over);
        }
        const stop = () => response.destroy();
        overdue.signal.addEventListener('abort', stop, { once: true });
        if (overdue.signal.aborted) stop();
        const body = await readBody(response);
        return {
          answered: true,
          status: response.statusCode ?? 0,
          retryAfterMs: retryAfterMs(response.headers['retry-after']),
          location: response.headers.location ?? null,
          body,
          words: wordsOf(body),
        };
      } catch (error) {
        return { answered: false, fault: faultOf(error, overdue.signal.aborted, post.timeoutMs) };
      } finally {
        clearTimeout(timer);
      }
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

class StaleConnection extends Error {}

function send(url: URL, options: RequestOptions, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, options);
    request.once('response', resolve);
    // Nobody asked for another protocol; without this the connection would stay open for ever.
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(Object.assign(new Error('the receiver switches protocols'), { code: 'HPE_UPGRADE' }));
    });
    // Stays for good: a receiver may answer, and then break the connection.
    request.on('error', (error: NodeJS.ErrnoException) => {
      const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(stale ? new StaleConnection(error.message) : error);
    });
    request.once('close', () => reject(Object.assign(new Error('the connection closed'), { code: 'ECONNRESET' })));
    request.end(body);
  });
}

function headersFor({ headers, body }: Post): Record<string, string> {
  return { ...headers, 'content-length': String(Buffer.byteLength(body)) };
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new ReachRefused('url_refused', 'the URL cannot be read');
  }
}

/** Answers every look-up of the connection with what was checked. */
function pinnedTo(addresses: Address[]): LookupFunction {
  const [first] = addresses as [Address];
  return (_host, options, callback) => {
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
}

function unlessOver<T>(work: Promise<T>, over: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    over.addEventListener('abort', () => reject(over.reason), { once: true });
    work.then(resolve, reject);
  });
}
