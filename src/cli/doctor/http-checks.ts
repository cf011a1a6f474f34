import { SCHEMA_FINGERPRINT } from '../../contract/schema-fingerprint.generated.ts';
import { remoteStatus } from '../status-document.ts';
import { type Check, fail, ok } from './check.ts';

interface KeySet {
  keys?: { kty?: string; alg?: string; kid?: string }[];
}

/** The public keys that tokens are verified with can be fetched, and there is a usable one. */
export async function checkJwks(url: string): Promise<Check> {
  const name = 'signing keys';
  const remedy = 'check the URL (LEDGER_JWKS_URL); on Supabase: Settings, JWT keys, use an asymmetric key';
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) return fail(name, `${url} answers ${response.status}`, remedy);
    const { keys = [] } = (await response.json()) as KeySet;
    const usable = keys.filter((key) => key.kty === 'EC' || key.kty === 'RSA');
    return usable.length > 0
      ? ok(name, `${usable.length} at ${url}`)
      : fail(name, `${url} holds no asymmetric key`, remedy);
  } catch (error) {
    return fail(name, `${url} cannot be read: ${(error as Error).message}`, remedy);
  }
}

/** Every edge function answers and agrees with this version's schema. */
export async function checkFunctions(functionsUrl: string): Promise<Check[]> {
  const { health } = await remoteStatus(functionsUrl);
  return Object.entries(health.functions).map(([name, word]) => {
    const remedy =
      word === 'down'
        ? `is it deployed? supabase functions deploy ${name} --use-api`
        : 'look at the function’s logs; schema_outdated and epoch_unsettled are told by the checks above';
    if (word !== 'ok') return fail(`function ${name}`, word, remedy);
    return health.fingerprint === null || health.fingerprint === SCHEMA_FINGERPRINT
      ? ok(`function ${name}`, `${functionsUrl}/${name}`)
      : fail(`function ${name}`, `schema ${health.fingerprint}`, 'deploy the functions of this version');
  });
}
