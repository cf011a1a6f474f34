import type { LedgerFunction } from '../_shared/app.ts';
import { delivery, integration, lifecycle, verification } from './evidence.ts';
import { gate } from './gate.ts';
import { list, read } from './reads.ts';

export const JUDGMENTS: LedgerFunction = {
  name: 'judgments',
  description:
    'Judgments: whether what was done succeeded, derived from outcomes and evidence; and the gate before what comes next.',
  endpoints: [verification, delivery, integration, lifecycle, gate, list, read],
};
