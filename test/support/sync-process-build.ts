import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './tools.ts';

export interface BuiltProcess {
  /** What `node` runs. */
  script: string;
  remove(): void;
}

/** `sync-process.ts` and all that is ours as plain JavaScript, so that a process of it starts at once. Packages stay where they are. */
export async function buildSyncProcess(): Promise<BuiltProcess> {
  const { build } = await import('vite');
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const outDir = mkdtempSync(join(cache, 'outcome-ledger-sync-process-'));
  const names = { entryFileNames: 'main.mjs', chunkFileNames: '[name].mjs' };
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    build: {
      ssr: join(import.meta.dirname, 'sync-process.ts'),
      outDir,
      target: 'node20',
      rollupOptions: { output: names },
    },
  });
  return { script: join(outDir, 'main.mjs'), remove: () => rmSync(outDir, { recursive: true, force: true }) };
}
