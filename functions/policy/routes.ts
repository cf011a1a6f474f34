// Policies, what they decide, and whom they ask.
import type { LedgerFunction } from '../_shared/app.ts';
import { decide } from './decisions.ts';
import { evaluatePolicy } from './evaluate.ts';
import { answerRequest, ask, listRequests, readRequest } from './hitl.ts';
import { listSets, putSet, readSet } from './sets.ts';

export const POLICY: LedgerFunction = {
  name: 'policy',
  description: 'Policy sets and decisions, and requests to humans.',
  endpoints: [putSet, listSets, readSet, decide, evaluatePolicy, ask, listRequests, readRequest, answerRequest],
};
