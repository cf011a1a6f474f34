// The role × write matrix, walked whole over HTTP with real tokens.
import { beforeAll, describe, expect, it } from 'vitest';
import type { WriteTable } from '../src/contract/roles.ts';
import { type Api, apiOf, expectProblem } from './functions-client.ts';
import type { Document } from './support/envelopes.ts';
import { ACTOR, CELLS, documentFor, makeSubjects, nameOf, OWNERSHIPS, type Subjects } from './support/matrix.ts';
import { conclusion } from './support/phase-requests.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let tenantId: string;
const shared = new Map<string, Subjects>();
let foreign: Subjects;
const apis = new Map<string, Api>();

const key = (own: { source: boolean; started: boolean }) => `${own.source} ${own.started}`;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  for (const own of OWNERSHIPS) shared.set(key(own), await makeSubjects(stack.database, tenantId, own));
  const foreignTenant = await stack.database.tenant();
  foreign = await makeSubjects(stack.database, foreignTenant, { source: true, started: true });
  for (const { role } of CELLS) {
    if (!apis.has(role)) apis.set(role, await apiOf(stack, { tenantId, role, actorId: ACTOR }));
  }
});

function requestFor(table: WriteTable, document: Document): [method: string, path: string, body: Document] {
  switch (table) {
    case 'source_definitions': {
      const { source_type, source_id, version, ...body } = document;
      return ['PUT', `/definitions/${source_type}/${source_id}/${version}`, body];
    }
    case 'workflow_executions':
      return ['POST', '/executions', document];
    case 'agent_invocations':
      return ['POST', '/invocations', document];
    case 'agent_tool_calls': {
      const { invocation_id, ...body } = document;
      return ['POST', `/invocations/${invocation_id}/tool-calls`, body];
    }
    case 'policy_decisions':
      return ['POST', '/policy/decisions', document];
    case 'policy_sets':
      return ['POST', '/policy/sets', document];
    case 'hitl_requests':
      return ['POST', '/policy/hitl', document];
    case 'hitl_resolutions':
      return ['POST', `/policy/hitl/${document['hitl_request_id']}/resolution`, document];
    case 'phase_reports':
    case 'artifacts':
      return ['POST', `/invocations/${document['invocation_id']}/conclude`, conclusion()];
    case 'outcome_verifications':
      return ['POST', `/judgments/${document['outcome_id']}/verifications`, document];
    case 'delivery_assessments':
      return ['POST', `/judgments/${document['outcome_id']}/deliveries`, document];
    case 'outcome_integrations':
      return ['POST', `/judgments/${document['outcome_id']}/integration`, document];
    case 'lifecycle_events':
      return ['POST', '/judgments/lifecycle', document];
    case 'os_events':
      return ['POST', '/events', document];
    case 'agent_lineage_links':
      return ['POST', '/lineage/links', document];
    default:
      return ['POST', '/outcomes', document];
  }
}

const ask = (role: string, table: WriteTable, subjects: Subjects) =>
  (apis.get(role) as Api)(...requestFor(table, documentFor(table, subjects)));

describe('over HTTP', () => {
  it.each(CELLS.map((cell) => [nameOf(cell), cell] as const))('%s', async (_, { role, table, own, may }) => {
    if (!may) {
      expectProblem(await ask(role, table, shared.get(key(own)) as Subjects), 403, 'not_permitted');
      return;
    }
    const answer = await ask(role, table, await makeSubjects(stack.database, tenantId, own));
    if (table === 'late_outcomes') expectProblem(answer, 409, 'outcome_conflict');
    else expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
  });

  it('a subject of another tenant is unknown, or not permitted, to every role', async () => {
    for (const { role, table } of CELLS.filter(({ own }) => own.source && own.started)) {
      if (['source_definitions', 'policy_sets', 'workflow_executions'].includes(table)) continue;
      const answer = await ask(role, table, foreign);
      expect([403, 404], `${role} ${table} ${answer.body.code}`).toContain(answer.status);
      expect(answer.body.code).toMatch(/^(not_permitted|unknown_(hitl_request|invocation|execution|outcome))$/);
    }
  });

  it('a batch answers each item by the same matrix', async () => {
    const mine = (await makeSubjects(stack.database, tenantId, { source: true, started: false })).invocation;
    const theirs = (await makeSubjects(stack.database, tenantId, { source: false, started: true })).invocation;
    const items = [mine, theirs].map((start) => ({ invocation_id: start['invocation_id'] }));
    const outcomes = await Promise.all(
      [mine, theirs].map((invocation, n) => ({
        ...items[n],
        outcome: documentFor('agent_invocation_outcomes', { invocation } as Subjects)['outcome'],
      })),
    );
    const asked = async (role: string) =>
      (await (apis.get(role) as Api)('POST', '/outcomes/batch', { items: outcomes })).body.items;
    const codes = (answers: Document[]) => answers.map((item) => item['problem']?.code ?? item['status']);
    expect(codes(await asked('auditor'))).toEqual(['not_permitted', 'not_permitted']);
    expect(codes(await asked('agent'))).toEqual([201, 'not_permitted']);
    expect(codes(await asked('worker'))).toEqual(['not_permitted', 201]);
    expect(codes(await asked('orchestrator'))).toEqual([200, 200]);
  });
});
