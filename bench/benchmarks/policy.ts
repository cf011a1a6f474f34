import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import { evaluate, type PolicyRequest, preparePolicySet, principalOf } from '../../src/policy/index.ts';
import { type Contender, interleave } from '../measure/interleave.ts';
import { type Comparison, comparisonTable } from '../report/comparison.ts';

type Case = { what: string; policies: number; schema: boolean; perSlice: number; bar?: number };

const CASES: readonly Case[] = [
  { what: '100 policies', policies: 100, schema: false, perSlice: 50, bar: 0.8 },
  { what: '100 policies and a schema', policies: 100, schema: true, perSlice: 50, bar: 0.8 },
  { what: '1 policy', policies: 1, schema: false, perSlice: 250 },
];
const ROUNDS = 101;

const SCHEMA = `
  entity Agent = { version: String, domain: String, governance_class: String };
  entity Edition = { price: Long, artist: String };
  type Tool = { name: String, calls: Long };
  action allocate appliesTo { principal: Agent, resource: Edition, context: { n: Long, tool: Tool, risk_score: decimal } };
`;

const policiesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const effect = i % 10 === 9 ? 'forbid' : 'permit';
    return `@id("p${i}") @risk_score("0.2") ${effect} (principal, action == Action::"allocate", resource)
      when { context.n == ${i} && context.tool.calls < 10 && context.risk_score.lessThan(decimal("0.7")) };`;
  }).join('\n');

const source = {
  type: 'agent',
  id: 'art-agt-003',
  version: '1.4.2',
  domain: 'art',
  governance_class: 'governed',
} as const;
const principal = principalOf(source);
const requestOf = (n: number): PolicyRequest => ({
  principal,
  action: 'allocate',
  resource: { type: 'Edition', id: 'ed-117', attributes: { price: 1200, artist: 'Ada' } },
  context: { n, tool: { name: 'inventory', calls: 3 }, risk_score: 0.35 },
});

/** `evaluate`, from a request as JSON to a decision, against Cedar's own call on a set parsed before, with the call ready-made. */
export async function policy(): Promise<string> {
  const results: Comparison[] = [];
  for (const test of CASES) {
    const policies = policiesOf(test.policies);
    const contenders = [cedarAlone(test, policies), await wholeEvaluation(test, policies)];
    const [theirs, ours] = await interleave(contenders, { rounds: ROUNDS, warmup: 60 });
    if (theirs && ours) results.push({ what: test.what, theirs, ours, bar: test.bar });
  }
  return comparisonTable('Cedar alone', 'evaluate', results, 'process µs each');
}

function cedarAlone({ what, policies: count, schema, perSlice }: Case, policies: string): Contender {
  succeed(cedar.preparsePolicySet(what, { staticPolicies: policies }));
  if (schema) succeed(cedar.preparseSchema(what, SCHEMA));
  const calls = Array.from({ length: count }, (_, n) => ({
    principal: { type: 'Agent', id: source.id },
    action: { type: 'Action', id: 'allocate' },
    resource: { type: 'Edition', id: 'ed-117' },
    context: {
      n,
      tool: { name: 'inventory', calls: 3 },
      risk_score: { __extn: { fn: 'decimal', arg: '0.35' } },
    },
    entities: [
      {
        uid: { type: 'Agent', id: source.id },
        attrs: { ...principal.attributes } as Record<string, string>,
        parents: [],
      },
      { uid: { type: 'Edition', id: 'ed-117' }, attrs: { price: 1200, artist: 'Ada' }, parents: [] },
    ],
    preparsedPolicySetId: what,
    ...(schema && { preparsedSchemaName: what, validateRequest: true }),
  }));
  return {
    name: 'Cedar alone',
    pids: [process.pid],
    async slice() {
      for (let i = 0; i < perSlice; i++) {
        const n = i % count;
        const answer = cedar.statefulIsAuthorized(calls[n] ?? missing());
        if (answer.type === 'failure') throw new Error(answer.errors[0]?.message);
        expectOne(answer.response.diagnostics.reason.length, n);
      }
      return perSlice;
    },
  };
}

async function wholeEvaluation({ policies: count, schema, perSlice }: Case, policies: string): Promise<Contender> {
  const set = await preparePolicySet({ policies, schema: schema ? SCHEMA : null });
  const requests = Array.from({ length: count }, (_, n) => requestOf(n));
  return {
    name: 'evaluate',
    pids: [process.pid],
    async slice() {
      for (let i = 0; i < perSlice; i++) {
        const n = i % count;
        expectOne(evaluate(set, requests[n] ?? missing()).determining.length, n);
      }
      return perSlice;
    },
  };
}

/** Each request is decided by the one policy with its number. */
function expectOne(determining: number, n: number): void {
  if (determining !== 1) throw new Error(`request ${n} was decided by ${determining} policies`);
}

function succeed(answer: cedar.CheckParseAnswer): void {
  if (answer.type === 'failure') throw new Error(answer.errors[0]?.message);
}

function missing(): never {
  throw new Error('there is no such request');
}
