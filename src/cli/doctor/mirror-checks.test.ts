import { expect, it } from 'vitest';
import { Failure } from '../failure.ts';
import { checkMirror } from './mirror-checks.ts';

type Looked = Awaited<ReturnType<Parameters<typeof checkMirror>[0]>>;

const well: Looked = {
  state: 'active',
  graph: { kind: 'neo4j', address: 'neo4j://h/neo4j' },
  lag: { rows: 0, rows_capped: false, seconds: 0 },
  quarantined: 0,
  degraded_by: [],
};
const reason = (code: string) => ({ code, message: 'why', remedy: 'do this' });
const behind = { rows: 9, rows_capped: false, seconds: 61 };

it.each<[string, Partial<Looked>, string[]]>([
  ['well', {}, ['ok', 'ok', 'ok']],
  ['standing by', { state: 'standby', lag: null, quarantined: null }, ['ok', 'ok', 'ok']],
  ['refused', { state: 'refused', degraded_by: [reason('graph_other_ledger')] }, ['fail', 'ok', 'ok']],
  ['waiting', { state: 'waiting', degraded_by: [reason('ledger_unreachable')] }, ['fail', 'ok', 'ok']],
  ['stopped', { state: 'stopped' }, ['fail', 'ok', 'ok']],
  ['without a worker', { state: 'no worker' }, ['warn', 'ok', 'ok']],
  ['held back', { degraded_by: [reason('feed_held_back')] }, ['warn', 'ok', 'ok']],
  ['late', { lag: behind }, ['ok', 'warn', 'ok']],
  ['with rows in quarantine', { quarantined: 2 }, ['ok', 'ok', 'warn']],
])('a mirror that is %s', async (_how, over, verdicts) => {
  const checks = await checkMirror(async () => ({ ...well, ...over }));
  expect(checks.map((check) => check.verdict)).toEqual(verdicts);
  for (const check of checks) expect(check.verdict === 'ok' || (check.remedy ?? '').length > 3).toBe(true);
});

it('a graph that cannot be asked is a failed check with its remedy', async () => {
  const failure = new Failure({ code: 'graph_other_ledger', detail: 'another ledger’s', remedy: 'name its own' });
  expect(await checkMirror(() => Promise.reject(failure))).toEqual([
    { name: 'graph', verdict: 'fail', detail: 'graph_other_ledger: another ledger’s', remedy: 'name its own' },
  ]);
});
