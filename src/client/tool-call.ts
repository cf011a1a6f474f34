import { storedSize } from '../contract/index.ts';
import { startStopwatch } from './clock.ts';
import type { Timing } from './documents.ts';
import { LedgerError } from './errors.ts';
import { withRecordingError } from './faults-of-runs.ts';
import type { ToolCallInput } from './groups/invocations.ts';
import { newId } from './identity.ts';
import { isJsonObject, type Json, type JsonObject, toPlainJson } from './plain-json.ts';
import { entriesOfThrown } from './thrown.ts';

export interface ToolCallOptions<Output> {
  /** What to record as output instead of the value itself: leave out what is secret or large. */
  recordOutput?: (output: Output) => unknown;
}

/** Stored bytes for each of input and output, of the 64 KiB that the ledger keeps of a tool call. */
const MAX_BYTES = 30 * 1024;

/**
 * Runs a tool and records the call, well or badly ended. What cannot be recorded of input and output (not JSON, too
 * large) is replaced by a note saying so: the tool has run, and its call must be on record.
 */
export async function runTool<Output>(
  name: string,
  input: object | null,
  tool: () => Output | Promise<Output>,
  record: (call: ToolCallInput) => Promise<unknown>,
  options: ToolCallOptions<Output> = {},
): Promise<Output> {
  const call = { tool_call_id: newId(), tool_name: name, input: recordableInput(input) };
  const watch = startStopwatch();
  let output: Output;
  try {
    output = await tool();
  } catch (thrown) {
    const [entry] = entriesOfThrown(thrown, false);
    const error = { code: entry?.code ?? 'ERROR', message: entry?.message ?? 'ERROR' };
    const timing = watch.stop();
    try {
      await record({ ...call, status: 'failed', error, timing });
    } catch (fault) {
      throw withRecordingError(thrown, fault);
    }
    throw thrown;
  }
  await recordSuccess(call, output, watch.stop(), record, options);
  return output;
}

async function recordSuccess<Output>(
  call: Pick<ToolCallInput, 'tool_call_id' | 'tool_name' | 'input'>,
  output: Output,
  timing: Timing,
  record: (call: ToolCallInput) => Promise<unknown>,
  options: ToolCallOptions<Output>,
): Promise<void> {
  try {
    const shown = options.recordOutput ? options.recordOutput(output) : output;
    await record({ ...call, status: 'succeeded', output: recordable(shown ?? null), timing });
  } catch (fault) {
    if (fault instanceof LedgerError) fault.result = output;
    throw fault;
  }
}

function recordableInput(input: object | null): JsonObject | null {
  if (input === null) return null;
  const shown = recordable(input);
  return isJsonObject(shown) ? shown : { value: shown };
}

function recordable(value: unknown): Json {
  const plain = toPlainJson(value, 2);
  if (!plain.ok) {
    const first = plain.violations[0];
    return { not_recorded: `${first?.message} (at ${first?.path || 'its root'})` };
  }
  const bytes = storedSize(plain.value);
  return bytes > MAX_BYTES ? { not_recorded: 'too large', bytes } : plain.value;
}
