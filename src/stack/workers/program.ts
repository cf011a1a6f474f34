import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Arguments that make Node run this very version's `outcome-ledger`. From a checkout's sources, where Node cannot read
 * TypeScript by itself, the development dependency vite-node does.
 */
export function ledgerProgram(): string[] {
  const built = import.meta.url.endsWith('.js');
  const main = fileURLToPath(new URL(`../../cli/main.${built ? 'js' : 'ts'}`, import.meta.url));
  return built ? [main] : [createRequire(import.meta.url).resolve('vite-node/vite-node.mjs'), main];
}
