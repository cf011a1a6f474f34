/** Code points of a path inside a title or a sentence, which may stand in ten thousand artifacts. */
const LONGEST_SHOWN = 300;

/** A path for people, its beginning where it is long. */
export function shownPath(path: string): string {
  if (path.length <= LONGEST_SHOWN) return path;
  const points = [...path];
  return points.length <= LONGEST_SHOWN ? path : `${points.slice(0, LONGEST_SHOWN).join('')}…`;
}
