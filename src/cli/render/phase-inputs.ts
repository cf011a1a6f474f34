import type { PhaseInputs } from '../../client/phase-documents.ts';
import { clean } from './clean.ts';
import type { Colour } from './colour.ts';
import { marksOf } from './phase.ts';
import { renderTable } from './table.ts';

export function renderInputs({ items, omitted }: PhaseInputs, colour: Colour): string {
  const listed = renderTable(
    items,
    [
      { title: 'path', value: (one) => one.path },
      { title: 'bytes', value: (one) => one.size_bytes, align: 'right' },
      { title: 'artifact', value: (one) => one.artifact_id },
      { title: '', value: marksOf },
    ],
    colour,
  );
  return [listed || colour.dim('no inputs'), renderOmitted(omitted, colour)].filter((part) => part !== '').join('\n\n');
}

export function renderWritten(
  { omitted }: PhaseInputs,
  { written, unchanged }: { written: readonly string[]; unchanged: readonly string[] },
  colour: Colour,
): string {
  const lines = [...written.map((path) => `${clean(path)}`), ...unchanged.map((path) => `${clean(path)} (was there)`)];
  return [lines.join('\n') || colour.dim('no inputs'), renderOmitted(omitted, colour)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function renderOmitted(omitted: PhaseInputs['omitted'], colour: Colour): string {
  return renderTable(
    omitted,
    [
      { title: 'omitted', value: (one) => one.artifact_id },
      { title: 'path', value: (one) => one.path },
      { title: 'why', value: (one) => one.reason },
    ],
    colour,
  );
}
