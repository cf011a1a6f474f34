import { expect, it } from 'vitest';
import type { Graph, Ledger, SyncStatus } from '../../../lineage/index.ts';
import { knownProblem } from './problem.ts';
import { controlOf } from './sync-control.ts';

const going = new AbortController().signal;
const openLedger = async () => ({ close: async () => undefined }) as unknown as Ledger;
const AWAY = { code: 'ServiceUnavailable', message: 'no server answers', remedy: 'see that it runs' };

function worker(states: Partial<SyncStatus>[], graph: () => Graph | null = () => null) {
  let at = 0;
  const status = () => states[Math.min(at++, states.length - 1)] as SyncStatus;
  return { mirror: 'neo4j://nowhere', status, graph };
}

it('a graph that stays away is told of as that, with its own remedy, and not waited for', async () => {
  const once = controlOf(worker([{ state: 'waiting', reason: AWAY }]), openLedger, going, 20).once(60_000);
  const error = await once.catch((found: unknown) => found);
  expect(knownProblem(error)).toMatchObject({
    status: 503,
    code: 'graph_fault',
    detail: 'no server answers (ServiceUnavailable)',
    remedy: 'see that it runs',
  });
});

it('a ledger that stays away is no fault of the graph', async () => {
  const reason = { code: 'ledger_unreachable', message: 'it does not answer', remedy: null };
  const once = controlOf(worker([{ state: 'waiting', reason }]), openLedger, going, 20).once(60_000);
  expect(knownProblem(await once.catch((found: unknown) => found))).toMatchObject({ status: 409, code: 'not_active' });
});

it('a worker on standby is refused at once', async () => {
  const once = controlOf(worker([{ state: 'standby', reason: null }]), openLedger, going).once(60_000);
  expect(knownProblem(await once.catch((found: unknown) => found))).toMatchObject({ code: 'not_active' });
});

it('waits for a graph that is being opened, and not for one that is refused', async () => {
  let looks = 0;
  const opening = worker([{ state: 'standby' }], () => (++looks < 4 ? null : ({} as Graph)));
  await controlOf(opening, openLedger, going).opened();
  expect(looks).toBe(4);
  await controlOf(worker([{ state: 'starting' }, { state: 'refused' }]), openLedger, going).opened();
});
