// The product: its stack with its edge functions, over the benchmark's database.
import { startStack } from '../../src/stack/index.ts';
import { SOURCE } from '../ledger/envelope.ts';
import { reportReady } from './child.ts';

const { BENCH_DATABASE_URL: databaseUrl, BENCH_TENANT_ID: tenantId = '', BENCH_DATA_DIR: dataDir } = process.env;
const stack = await startStack({
  dataDir,
  databaseUrl,
  ownProcess: true,
  quiet: true,
  functionsEnv: { LEDGER_MAX_CONNECTIONS: process.env['BENCH_CONNECTIONS'] ?? '8' },
});
const token = await stack.mintToken({ tenantId, role: 'agent', actorId: SOURCE.id, expiresInSeconds: 36_000 });
const url = new URL(`${stack.functionsUrl}/outcomes`);
reportReady({ port: Number(url.port), path: url.pathname, token }, () => stack.stop());
