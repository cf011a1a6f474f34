import { quote } from './first-steps.ts';

/** How this very program was called, for lines that a person pastes: by its name when it is on the PATH, else in full. */
export function ownCommand(): string {
  const script = process.argv[1] ?? 'outcome-ledger';
  if (/[\\/]outcome-ledger$/.test(script)) {
    return script.includes('/node_modules/') || script.includes('\\_npx\\') ? 'npx outcome-ledger' : 'outcome-ledger';
  }
  return `node ${quote(script)}`;
}

/** Arguments that make Node run this program again. */
export function ownArguments(): string[] {
  return [...process.execArgv, process.argv[1] ?? ''];
}
