// A stand-in for the part of Supabase's Management API that `functions deploy --use-api` talks to: it keeps what was
// uploaded, so that a deployment can be rehearsed on loopback.
import { createServer } from 'node:http';

/** One uploaded function: its metadata, and its files by the path the CLI gave them. */
export interface Upload {
  slug: string;
  metadata: { entrypoint_path: string; import_map_path?: string; verify_jwt?: boolean; name?: string };
  files: Map<string, Uint8Array>;
}

export interface ManagementApi {
  url: string;
  uploads: Map<string, Upload>;
  stop(): Promise<void>;
}

export async function startManagementApi(): Promise<ManagementApi> {
  const uploads = new Map<string, Upload>();
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', async () => {
      const url = new URL(incoming.url ?? '/', 'http://loopback');
      outgoing.setHeader('content-type', 'application/json');
      if (incoming.method !== 'POST') return outgoing.end(url.pathname.endsWith('/functions') ? '[]' : '{}');
      const slug = url.searchParams.get('slug') ?? '';
      const upload = await readUpload(slug, incoming.headers['content-type'] ?? '', Buffer.concat(chunks));
      uploads.set(slug, upload);
      outgoing.statusCode = 201;
      outgoing.end(
        JSON.stringify({ id: slug, slug, name: slug, status: 'ACTIVE', version: 1, created_at: 1, updated_at: 1 }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    uploads,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function readUpload(slug: string, contentType: string, body: Buffer): Promise<Upload> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  const files = new Map<string, Uint8Array>();
  let metadata: Upload['metadata'] = { entrypoint_path: '' };
  for (const [name, value] of form) {
    if (typeof value === 'string') {
      if (name === 'metadata') metadata = JSON.parse(value);
    } else {
      files.set(value.name, new Uint8Array(await value.arrayBuffer()));
    }
  }
  return { slug, metadata, files };
}
