/** Hands out `items` in order, `count` at a time, each once. */
export function supply<T>(items: readonly T[], count: number): () => T[] {
  let taken = 0;
  return () => {
    const mine = items.slice(taken, taken + count);
    if (mine.length < count) throw new Error('more was asked for than there is');
    taken += count;
    return mine;
  };
}
