import { callOf, jsonb } from '../../src/database/statement.ts';
import { governed } from '../benchmarks/record.ts';
import { type Connections, openConnections } from '../ledger/connections.ts';
import { SOURCE, type Start } from '../ledger/envelope.ts';
import { type Contender, together } from '../measure/interleave.ts';
import { supply } from '../measure/supply.ts';

type Place = { url: string; tenantId: string; callers: number; perSlice: number; starts: readonly Start[] };

/** The ledger, recording the outcome of an invocation that was started before. */
export async function ledgerRecording(place: Place): Promise<Contender & { close(): Promise<void> }> {
  return side('ledger', place, (connections, worker, start) =>
    connections.run(worker, governed(place.tenantId, [start])),
  );
}

/** The ledger, starting an invocation and recording its outcome: two calls, two commits. */
export async function ledgerRun(place: Place): Promise<Contender & { close(): Promise<void> }> {
  return side('ledger, start and outcome', place, async (connections, worker, start) => {
    const invocationId = start.invocationId.replace(/^.{8}/, (head) => head.split('').reverse().join(''));
    const document = {
      invocation_id: invocationId,
      source: { id: SOURCE.id, version: SOURCE.version, domain: SOURCE.domain },
      correlation_id: start.correlationId,
      causation_id: start.causationId,
    };
    await connections.run(worker, callOf('start_invocation', [jsonb(document)]));
    await connections.run(worker, governed(place.tenantId, [{ ...start, invocationId }]));
  });
}

async function side(
  name: string,
  place: Place,
  operation: (connections: Connections, worker: number, start: Start) => Promise<unknown>,
): Promise<Contender & { close(): Promise<void> }> {
  const connections = await openConnections(place.url, place.tenantId, place.callers);
  const next = supply(place.starts, place.perSlice);
  return {
    name,
    async slice() {
      const mine = next();
      await together(place.callers, mine.length, async (index, worker) => {
        const start = mine[index];
        if (start) await operation(connections, worker, start);
      });
      return mine.length;
    },
    close: () => connections.close(),
  };
}
