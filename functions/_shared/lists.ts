// Lists: complete pages of `{items, next_cursor}`, newest first unless asked otherwise.
import { z } from '@hono/zod-openapi';
import type { Filter } from '../../src/database/index.ts';
import { countParameter, nameParameter, timeParameter, wordParameter } from './parameters.ts';

/** What every list understands. */
export const PAGE_PARAMETERS = {
  limit: countParameter('Rows of one page, 1 to 1,000.', { min: 1, max: 1000, fallback: 100 }),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_.,:~+/=-]{1,500}$/, 'must be a next_cursor of this list')
    .optional()
    .openapi({ description: '`next_cursor` of the page before, with the same other parameters.' }),
  order: wordParameter('`desc` (default) is newest first.', ['desc', 'asc']).optional(),
  from: timeParameter('Recorded at or after this time.').optional(),
  to: timeParameter('Recorded before this time.').optional(),
};

export const SOURCE_PARAMETERS = {
  source_id: nameParameter('The agent or workflow.', 'art-agt-003').optional(),
  domain: nameParameter('The domain pack.', 'art').optional(),
};

export const CORRELATION_PARAMETER = nameParameter('The business transaction.', 'corr-xyz').optional();

export const STATE_PARAMETER = wordParameter('Where the work stands.', [
  'running',
  'stalled',
  'overdue',
  'ended',
]).optional();

/** The list function's filter: the parameters that were given. */
export function filterOf(query: Record<string, string | number | undefined>): Filter {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Filter;
}
