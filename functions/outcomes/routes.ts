import type { LedgerFunction } from '../_shared/app.ts';
import { list, read } from './reads.ts';
import { record } from './record.ts';
import { recordBatch } from './record-batch.ts';
import { validate } from './validate.ts';

export const OUTCOMES: LedgerFunction = {
  name: 'outcomes',
  description: 'Outcomes: exactly one immutable envelope for every invocation and every execution.',
  endpoints: [record, recordBatch, validate, list, read],
};
