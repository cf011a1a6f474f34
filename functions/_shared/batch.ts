// Running a batch: in order, in transactions of at most 100 items, so that one item never costs another its record.
import { type BatchItem, Refusal, toRefusal } from '../../src/database/index.ts';

/** The most items of one transaction. */
export const TRANSACTION_ITEMS = 100;

type Run<T> = (items: T[]) => Promise<BatchItem[]>;

/**
 * Records the good ones of `items` (a `Refusal` is an item refused already) and answers for each, in the order sent.
 * When the database goes away half-way, what was recorded is said and the rest is refused; when it was never there, the
 * whole batch throws.
 */
export async function runBatch<T extends object>(
  items: readonly (T | Refusal)[],
  run: Run<T>,
): Promise<(BatchItem | Refusal)[]> {
  const answers: (BatchItem | Refusal)[] = [];
  const good: { index: number; item: T }[] = [];
  items.forEach((item, index) => {
    if (item instanceof Refusal) answers[index] = item;
    else good.push({ index, item });
  });
  let away: Refusal | null = null;
  let answered = false;
  for (let at = 0; at < good.length; at += TRANSACTION_ITEMS) {
    const chunk = good.slice(at, at + TRANSACTION_ITEMS);
    const items = chunk.map(({ item }) => item);
    const gone: Refusal | null = away;
    const results: (BatchItem | Refusal)[] = gone ? items.map(() => gone) : await runChunk(items, run);
    away ??= results.find(isAway) ?? null;
    answered ||= !results.every(isAway);
    chunk.forEach(({ index }, offset) => {
      answers[index] = results[offset] ?? new Refusal('internal_error');
    });
  }
  if (away && !answered) throw away;
  return answers;
}

/** A transaction refused as a whole is split until the item it was refused for stands alone. */
async function runChunk<T>(items: T[], run: Run<T>): Promise<(BatchItem | Refusal)[]> {
  try {
    return await run(items);
  } catch (error) {
    const refusal = toRefusal(error);
    if (items.length === 1 || refusal.status === 503) return items.map(() => refusal);
    const middle = Math.ceil(items.length / 2);
    return [...(await runChunk(items.slice(0, middle), run)), ...(await runChunk(items.slice(middle), run))];
  }
}

function isAway(result: BatchItem | Refusal): result is Refusal {
  return result instanceof Refusal && result.status === 503;
}
