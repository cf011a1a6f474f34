import { afterAll, beforeAll, expect } from 'vitest';
import { type Argument, jsonb } from '../../src/database/statement.ts';
import { type Crowd, openCrowd } from './crowd.ts';
import type { TestDatabase } from './database.ts';
import type { Document } from './envelopes.ts';
import { randomFrom } from './random.ts';
import { type Answer, callIn, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './sql-ledger.ts';

export const CALLERS = 50;
export const SEED = 419;

/** How a call ended: its value, or the database's word. */
export type Ended<T> = { value: T } | { code: string; message: string };

export const wordOf = (end: Ended<Answer>): string =>
  'value' in end ? end.value.result : `${end.code} ${end.message}`;
/** How often each word stands in the list. */
export const counted = (words: string[]) =>
  Object.fromEntries([...new Set(words)].sort().map((word) => [word, words.filter((other) => other === word).length]));
export const many = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

/** Many callers of one tenant, each in a session of its own; members are there once `beforeAll` has run. */
export interface Racers {
  readonly tenantId: string;
  readonly ledger: SqlLedger;
  readonly random: () => number;
  /** Calls a function as the orchestrator, or as another caller of the tenant. */
  call<T = Answer>(name: string, argument: Argument, caller?: object): Promise<Ended<T>>;
  record(start: Document, envelope: Document): Promise<Ended<Answer>>;
  /** A batch, whose answer is a list. */
  batch(name: string, items: unknown[], caller?: object): Promise<Ended<Answer[]>>;
  /** Every batch was answered: none died of a deadlock. */
  expectAnswered(batches: Ended<unknown>[], round: number): void;
}

export function useRacers(database: TestDatabase): Racers {
  let tenantId: string;
  let ledger: SqlLedger;
  let crowd: Crowd;
  beforeAll(async () => {
    tenantId = await database.tenant();
    crowd = openCrowd(database, CALLERS);
    ledger = sqlLedger(crowd, { tenantId, ...ORCHESTRATOR });
  });
  afterAll(() => crowd.end());

  const ended = <T>(work: Promise<T>): Promise<Ended<T>> =>
    work.then(
      (value) => ({ value }),
      ({ code, message }) => ({ code, message }),
    );
  const call = <T = Answer>(name: string, argument: Argument, caller: object = {}) =>
    ended(crowd.as({ tenantId, ...ORCHESTRATOR, ...caller }, (tx) => callIn<T>(tx, name, argument)));
  return {
    get tenantId() {
      return tenantId;
    },
    get ledger() {
      return ledger;
    },
    random: randomFrom(SEED),
    call,
    record: (start, envelope) => ended(crowd.as(ledger.caller, (tx) => recordIn(tx, start, envelope))),
    batch: (name, items, caller) => call<Answer[]>(name, jsonb(items), caller),
    expectAnswered(batches, round) {
      const words = batches.map((end) => ('value' in end ? 'answered' : `${end.code} ${end.message}`));
      expect(counted(words), `round ${round}`).toEqual({ answered: batches.length });
    },
  };
}
