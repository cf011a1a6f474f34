// Run by Deno: a success that causes a failure, an abort, a concluded phase, and the lineage of it all, told as JSON.
import { createLedger, newId, phasePrompt, recordedOutcomeOf } from '../../src/client/index.ts';

const [url = '', accessToken = '', correlation_id = ''] = (globalThis as unknown as { Deno: { args: string[] } }).Deno
  .args;
const ledger = createLedger({ url, accessToken });
const source = { id: 'a', version: '1.0.0', domain: 'd' };
const start = { source, correlation_id, causation_id: 'event-1' };

let failed: unknown;
const run = await ledger.invocation(start, async (ctx) => {
  await ctx
    .invocation({ source }, () => Promise.reject(Object.assign(new Error('none left'), { code: 'NO_STOCK' })))
    .catch((error: unknown) => {
      failed = error;
    });
  return { n: 1 };
});
const invocation_id = newId();
await ledger.invocation({ ...start, invocation_id }, async (ctx) => ctx.abort('stop') ?? {}).catch(() => {});
const why = await ledger.lineage.why(recordedOutcomeOf(failed)?.outcome_id ?? '');
const { outcome } = await ledger.invocations.get(invocation_id);
const phase = await ledger.invocations.start(start);
const { record } = await ledger.invocations.conclude(phase.record.invocation_id, {
  // The prompt's last example is a failure.
  messages: [phasePrompt()],
  observation: { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false },
  files: { 'artifacts/output/b': new Uint8Array([0, 255]) },
});
const bytes = await ledger.artifacts.get(record.artifacts.find((one) => !one.recovered)?.artifact_id ?? '');
console.log(
  JSON.stringify({
    success: run.status,
    failure: recordedOutcomeOf(failed)?.errors[0]?.code,
    why: why.nodes.length,
    canceled: outcome?.errors[0]?.code,
    concluded: record.failure_classification,
    content: bytes.content,
  }),
);
