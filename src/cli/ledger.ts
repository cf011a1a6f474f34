import type { LedgerRole } from '../contract/roles.ts';
import { preflight, unreachable, usage } from './failure.ts';
import { functionsUrlOf, type Reader } from './http.ts';
import { attachLocal, type LocalStack } from './local-stack.ts';
import { dataDirOf, fromEnvironment, type LedgerOptions } from './options.ts';
import { tenantOf } from './tenants.ts';

/** Whom a command acts as on the local stack; elsewhere the token given says it. */
export interface ActingAs {
  role: LedgerRole;
  actorId: string;
}

const READING: ActingAs = { role: 'auditor', actorId: 'cli-auditor' };

/**
 * The ledger a command talks to: --url and --token (or their variables) name any ledger; otherwise the running
 * local stack, with a token minted for its tenant (an auditor's, unless said otherwise). Nothing is ever started here.
 */
export async function openLedger(options: LedgerOptions, acting: ActingAs = READING): Promise<Reader> {
  // A flag naming the local stack is meant for this call and beats a variable set for the whole shell.
  const url = options.url ?? (options.dataDir === undefined ? fromEnvironment('OUTCOME_LEDGER_URL') : undefined);
  const token = options.token ?? (options.dataDir === undefined ? fromEnvironment('OUTCOME_LEDGER_TOKEN') : undefined);
  if (url !== undefined) {
    const functionsUrl = functionsUrlOf(checkedUrl(url));
    if (options.tenant !== undefined) {
      throw usage('--tenant chooses a tenant of the local stack; a token given with --url carries its own');
    }
    if (token === undefined) {
      throw preflight('token_missing', `no token for ${functionsUrl}`, 'give --token or set OUTCOME_LEDGER_TOKEN');
    }
    return { functionsUrl, token };
  }
  const stack = await requireLocal(dataDirOf(options));
  if (options.token !== undefined) return { functionsUrl: stack.functionsUrl, token: options.token };
  const tenantId = await tenantOf(stack, options.tenant);
  const minted = await stack.mintToken({ tenantId, ...acting, expiresInSeconds: 900 });
  return { functionsUrl: stack.functionsUrl, token: minted };
}

/** The running stack on this data directory, or exit 2 with the one command that helps. */
export async function requireLocal(dataDir: string): Promise<LocalStack> {
  const stack = await attachLocal(dataDir);
  if (stack === null) {
    throw unreachable(`no stack runs on ${dataDir}, and no --url was given`, 'outcome-ledger up --detach');
  }
  return stack;
}

export function checkedUrl(url: string): string {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' };
  if (protocol !== 'http:' && protocol !== 'https:') throw usage(`'${url}' is not an http or https URL`);
  return url;
}
