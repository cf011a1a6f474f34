import type { LedgerFunction } from '../_shared/app.ts';
import { cancel } from './cancel.ts';
import { conclude } from './conclude.ts';
import { inputs } from './inputs.ts';
import { list, read } from './reads.ts';
import { start, startBatch } from './starts.ts';
import { beat, toolCall } from './while-open.ts';

export const INVOCATIONS: LedgerFunction = {
  name: 'invocations',
  description:
    'Agent invocations: a start row before the agent runs, tool calls and heartbeats while it does, its conclusion after.',
  endpoints: [start, startBatch, list, read, toolCall, beat, cancel, inputs, conclude],
};
