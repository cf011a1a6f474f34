// The product of test/policy-envelope.db.test.ts over HTTP: the functions answer every cell as the database does.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ERRORS, isErrorCode } from '../src/contract/errors.ts';
import { type Api, apiOf, expectProblem } from './functions-client.ts';
import type { Document } from './support/envelopes.ts';
import { CELLS, expectedVerdicts, KINDS, nameOf, verdictOf } from './support/policy-product.ts';
import { productSubjects, type Subject } from './support/policy-product-subjects.ts';
import { connect } from './support/shared-server.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let api: Api;
let subjects: Subject[];

beforeAll(async () => {
  const tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId, actorId: 'os-orc-001' });
  subjects = await productSubjects(stack.database, tenantId);
});

const statusOf = (verdict: string) => (isErrorCode(verdict) ? ERRORS[verdict].status : 201);

describe('before anything is recorded', () => {
  it('a dry check accepts what the status table accepts, because it knows no records', async () => {
    // One cell of each status and decision; the dry check sees neither class nor answer.
    const seen = new Set<string>();
    for (const { cell, item } of subjects) {
      const key = `${cell.kind} ${cell.status} ${cell.decided?.decision}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const { status, body } = await api('POST', '/outcomes/validate', item['outcome']);
      expect({ key, status, valid: body.valid }).toEqual({
        key,
        status: 200,
        valid: verdictOf(cell) !== 'envelope_invalid',
      });
    }
    expect(seen.size).toBe(2 * 7 * 4);
  });

  it('one at a time: one cell of every verdict and subject', async () => {
    const refused = new Set<string>();
    for (const { cell, item } of subjects) {
      const verdict = verdictOf(cell);
      if (!isErrorCode(verdict) || refused.has(`${cell.kind} ${verdict}`)) continue;
      refused.add(`${cell.kind} ${verdict}`);
      expectProblem(await api('POST', '/outcomes', item), statusOf(verdict), verdict);
    }
    expect(refused.size).toBe(2 * 5);
  });
});

describe.each(KINDS)('every %s of the product, in one batch', (kind) => {
  it('is answered for itself, as the specification says', async () => {
    const asked = subjects.filter(({ cell }) => cell.kind === kind);
    const { status, body } = await api('POST', '/outcomes/batch', { items: asked.map(({ item }) => item) });
    expect(status).toBe(200);
    const answered: Record<string, string> = {};
    const statuses: Record<string, number> = {};
    body.items.forEach((answer: Document, n: number) => {
      const name = nameOf((asked[n] as Subject).cell);
      answered[name] = answer['problem']?.code ?? 'recorded';
      statuses[name] = answer['status'];
    });
    const expected = expectedVerdicts(CELLS.filter((cell) => cell.kind === kind));
    expect(answered).toEqual(expected);
    expect(statuses).toEqual(
      Object.fromEntries(Object.entries(expected).map(([name, verdict]) => [name, statusOf(verdict)])),
    );
  });
});

it('B069 a completion one second after its timeout is told who won, and read beside it', async () => {
  const { item, start } = subjects.find(({ cell }) => cell.kind === 'invocation') as Subject;
  const late = { ...start, invocation_id: randomUUID(), governance_class: 'autonomous', deadline_in_ms: 1 };
  expect((await api('POST', '/invocations', late)).status).toBe(201);
  const sweeper = connect(stack.database.urlAs('ledger_sweep'), 1);
  await vi
    .waitFor(async () => {
      const [row] = await sweeper`select public.sweep_overdue() as said`;
      expect(row?.['said'].swept).toBe(1);
    })
    .finally(() => sweeper.end());
  await new Promise((done) => setTimeout(done, 1000));
  const outcome = { ...item['outcome'], status: 'success', policy: null };
  const lost = expectProblem(
    await api('POST', '/outcomes', { invocation_id: late.invocation_id, outcome }),
    409,
    'outcome_conflict',
  );
  const { body } = await api('GET', `/outcomes/${lost['outcome_id']}`);
  expect(body).toMatchObject({
    status: 'timeout',
    invocation_id: late.invocation_id,
    origin: 'swept',
    errors: [{ code: 'TIMEOUT' }],
    late: [{ outcome: { status: 'success', result: outcome['result'] } }],
  });
});
