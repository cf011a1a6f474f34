import type { LedgerFunction } from '../_shared/app.ts';
import { cancel } from './cancel.ts';
import { list, read } from './reads.ts';
import { start, startBatch } from './starts.ts';
import { beat, toolCall } from './while-open.ts';

export const INVOCATIONS: LedgerFunction = {
  name: 'invocations',
  description: 'Agent invocations: a start row before the agent runs, tool calls and heartbeats while it does.',
  endpoints: [start, startBatch, list, read, toolCall, beat, cancel],
};
