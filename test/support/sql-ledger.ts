import type { TransactionSql } from 'postgres';
import { type Argument, callOf, jsonb, text, uuid } from '../../src/database/statement.ts';
import { type Caller, type Claims, isCaller } from './claims.ts';
import type { TestDatabase } from './database.ts';
import { type Document, envelopeFor, executionStart, invocationStart } from './envelopes.ts';

/** What a recording function answers. */
export interface Answer {
  result: 'recorded' | 'replayed' | 'conflict' | 'refused';
  code?: string;
  record: Document;
  refusal?: Document;
}

type Asks = Pick<TestDatabase, 'as'>;

/** Calls an exposed SQL function within a transaction. */
export async function callIn<T = Answer>(tx: TransactionSql, name: string, ...args: Argument[]): Promise<T> {
  const statement = callOf(name, args);
  const [row] = await tx.unsafe(statement.text, [...statement.values]);
  return row?.['answer'] as T;
}

/** Calls an exposed SQL function as a caller, in a transaction of its own. */
export function call<T = Answer>(
  database: Asks,
  caller: Caller | Claims,
  name: string,
  ...args: Argument[]
): Promise<T> {
  return database.as(caller, (tx) => callIn<T>(tx, name, ...args));
}

export const idOf = (start: Document): string => start['invocation_id'] ?? start['execution_id'];

/** Records the end of a start: an agent's invocation or a workflow's execution, told apart by its id. */
export function recordIn(tx: TransactionSql, start: Document, outcome: unknown, checked?: Document): Promise<Answer> {
  const name = start['invocation_id'] ? 'record_agent_outcome' : 'record_workflow_outcome';
  return callIn(tx, name, uuid(idOf(start)), jsonb(outcome), jsonb(checked));
}

/** The SQL functions as one caller uses them, each call in a transaction of its own. */
export function sqlLedger(database: Asks, caller: Caller | Claims) {
  const ask = <T = Answer>(name: string, ...args: Argument[]) => call<T>(database, caller, name, ...args);
  const tenantId = isCaller(caller) ? caller.tenantId : undefined;
  return {
    caller,
    tenantId,
    ask,
    async start(over: Document = {}): Promise<Document> {
      const start = invocationStart(over);
      await ask('start_invocation', jsonb(start));
      return start;
    },
    async startExecution(over: Document = {}): Promise<Document> {
      const start = executionStart(over);
      await ask('start_execution', jsonb(start));
      return start;
    },
    record: (start: Document, outcome: unknown = envelopeFor(start), checked?: Document): Promise<Answer> =>
      database.as(caller, (tx) => recordIn(tx, start, outcome, checked)),
    /** Records the end and gives the minted id. */
    async end(start: Document, status: Parameters<typeof envelopeFor>[1] = 'success', over: Document = {}) {
      const answer = await database.as(caller, (tx) => recordIn(tx, start, envelopeFor(start, status, over)));
      if (answer.result !== 'recorded') throw new Error(`not recorded: ${JSON.stringify(answer)}`);
      return answer.record['outcome_id'] as string;
    },
    toolCall: (document: Document) => ask('record_tool_call', jsonb(document)),
    decide: (document: Document) => ask('record_policy_decision', jsonb(document)),
    event: (document: Document) => ask('register_event', jsonb(document)),
    link: (document: Document) => ask('declare_link', jsonb(document)),
    define: (document: Document) => ask('put_source_definition', jsonb(document)),
    read: (name: string, id: string) => ask<Document | null>(name, name === 'get_event' ? text(id) : uuid(id)),
  };
}

export type SqlLedger = ReturnType<typeof sqlLedger>;

export const ORCHESTRATOR = { role: 'orchestrator', actorId: 'os-orc-001' } as const;
export const GUARD = { role: 'policy_guard', actorId: 'os-agt-002' } as const;
export const OPERATOR = { role: 'operator', actorId: 'human-1' } as const;
