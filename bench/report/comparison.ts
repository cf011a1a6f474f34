import { type Rates, type Ratio, ratio } from '../measure/interleave.ts';
import { median } from '../measure/statistics.ts';
import { figure, percent, table, verdict } from './table.ts';

/** One line of a table of ratios: `ours` against `theirs`, with the least ratio that will do, if one was set. */
export type Comparison = { what: string; theirs: Rates; ours: Rates; bar?: number; times?: boolean };

/**
 * Rates side by side, the median of the round-by-round ratios, its spread, and the bar; in the last column, where it was
 * measured, the processor time of one operation, theirs and ours.
 */
export function comparisonTable(
  theirs: string,
  ours: string,
  comparisons: readonly Comparison[],
  processorColumn = 'server µs each',
): string {
  const timed = comparisons.some((comparison) => processor(comparison) !== '');
  return table([
    ['', `${theirs} /s`, `${ours} /s`, 'ratio', '10th–90th percentile', 'bar', '', ...(timed ? [processorColumn] : [])],
    ...comparisons.map((comparison) => {
      const { bar } = comparison;
      const { median: middle, low, high }: Ratio = ratio(comparison.ours, comparison.theirs);
      const show = comparison.times ? (value: number) => `${value.toFixed(1)}×` : percent;
      return [
        comparison.what,
        figure(median(comparison.theirs.rates)),
        figure(median(comparison.ours.rates)),
        show(middle),
        `${show(low)}–${show(high)}`,
        bar === undefined ? '–' : show(bar),
        bar === undefined ? '' : verdict(middle >= bar),
        ...(timed ? [processor(comparison)] : []),
      ];
    }),
  ]);
}

function processor({ theirs, ours }: Comparison): string {
  if (theirs.processor.length === 0 || ours.processor.length === 0) return '';
  const [one, other] = [median(theirs.processor), median(ours.processor)];
  return one > 0 && other > 0 ? `${figure(one)} : ${figure(other)}` : '';
}
