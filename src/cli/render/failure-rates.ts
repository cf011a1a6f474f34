import type { FailureRates } from '../../client/phase-documents.ts';
import type { Colour } from './colour.ts';
import { renderTable } from './table.ts';

export function renderFailureRates({ items }: FailureRates, colour: Colour): string {
  if (items.length === 0) return colour.dim('nothing was concluded');
  const count = (title: string, value: (one: FailureRates['items'][number]) => unknown) =>
    ({ title, value, align: 'right' }) as const;
  return renderTable(
    items,
    [
      { title: 'source', value: (one) => `${one.source_id}@${one.source_version}` },
      { title: 'domain', value: (one) => one.domain },
      count('concluded', (one) => one.concluded),
      count('completed', (one) => one.completed),
      count('failed', (one) => one.failed),
      count('platform', (one) => one.platform),
      count('correct refusal', (one) => one.correct_refusal),
      count('unclassified', (one) => one.unclassified),
      count('cancelled', (one) => one.cancelled),
      count('interrupted', (one) => one.interrupted),
      count('failure rate', (one) => percent(one.failure_rate)),
      count('platform rate', (one) => percent(one.platform_rate)),
    ],
    colour,
  );
}

/** Nothing completed or failed: no rate, which is not none. */
const percent = (rate: number | null): string => (rate === null ? '–' : `${(100 * rate).toFixed(1)} %`);
