import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { ArtifactRecord } from '../../client/phase-documents.ts';
import { bytesOfArtifact } from './artifact-bytes.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

const bytes = new Uint8Array([0, 255, 10]);
const sha256 = createHash('sha256').update(bytes).digest('hex');
const artifact = (over: Partial<ArtifactRecord>): ArtifactRecord => ({
  artifact_id: 'a-1',
  path: 'artifacts/output/x',
  title: 'x',
  type: 'text',
  size_bytes: bytes.length,
  sha256,
  recovered: false,
  primary: true,
  stored: 'object',
  invocation_id: 'i',
  execution_id: null,
  outcome_id: 'o',
  content: null,
  url: null,
  recorded_at: '',
  recorded_by: '',
  ...over,
});

async function storeWith(status: number, body: Uint8Array): Promise<string> {
  const running = createServer((_, response) => response.writeHead(status).end(body));
  server = running;
  await new Promise<void>((resolve) => running.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(running.address() as AddressInfo).port}/object?token=t`;
}
const failure = (one: ArtifactRecord) =>
  bytesOfArtifact(one).then(
    () => expect.unreachable(),
    (error: { problem: { code: string; detail: string }; exit: number }) => [error.problem.code, error.exit],
  );

test('bytes of the answer, text or base64, and of an object', async () => {
  const same = Buffer.from(bytes);
  expect(same.equals(await bytesOfArtifact(artifact({ content: { base64: 'AP8K' } })))).toBe(true);
  expect(same.equals(await bytesOfArtifact(artifact({ url: await storeWith(200, bytes) })))).toBe(true);
  const text = artifact({ content: '\ufeffé', sha256: createHash('sha256').update('\ufeffé').digest('hex') });
  expect(Buffer.from('\ufeffé').equals(await bytesOfArtifact(text))).toBe(true);
});

test('never others than were recorded', async () => {
  expect(await failure(artifact({ content: 'other' }))).toEqual(['artifact_damaged', 1]);
  expect(await failure(artifact({ url: await storeWith(200, new Uint8Array([1, 2, 3])) }))).toEqual([
    'artifact_damaged',
    1,
  ]);
});

test('a store that does not give it, or gives without an end, is told', async () => {
  expect(await failure(artifact({}))).toEqual(['artifact_unavailable', 1]);
  expect(await failure(artifact({ url: await storeWith(404, bytes) }))).toEqual(['ledger_unreachable', 2]);
  server?.close();
  expect(await failure(artifact({ url: await storeWith(200, new Uint8Array(1_000_000)) }))).toEqual([
    'ledger_unreachable',
    2,
  ]);
  server?.close();
  expect(await failure(artifact({ url: 'http://127.0.0.1:1/x' }))).toEqual(['ledger_unreachable', 2]);
});
