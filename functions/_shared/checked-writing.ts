// Recording a result that was checked with the schemas its source registered.
import type { Envelope } from '../../src/contract/index.ts';
import { type CheckedSchemas, Refusal } from '../../src/database/index.ts';
import type { Call } from './endpoint.ts';

/**
 * Checks the envelope's result and confidence, then writes. When the database knows a schema that was not used (put since
 * this process looked), the definition is read again and the whole is tried once more.
 *
 * Throws `result_schema_mismatch`, and whatever `write` throws.
 */
export async function writeChecked<T>(
  call: Pick<Call, 'session' | 'caller' | 'deps'>,
  envelope: Envelope,
  write: (checked: CheckedSchemas | null) => Promise<T>,
): Promise<T> {
  const attempt = async (reload: boolean) =>
    write(await call.deps.schemas.check(call.session, call.caller.tenantId, envelope, reload));
  try {
    return await attempt(false);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'schema_unchecked') return await attempt(true);
    throw error;
  }
}
