import type { Place } from './scalars-sql.ts';
import { literal } from './sql-text.ts';

/** Where a member stands below a jsonb expression; with no segment, the expression itself. */
export function memberPlace(base: string, segments: readonly string[]): Place {
  const last = segments.at(-1);
  if (last === undefined) return { json: base, text: `(${base} #>> '{}')` };
  const parents = segments
    .slice(0, -1)
    .map((segment) => ` -> ${literal(segment)}`)
    .join('');
  return { json: `(${base}${parents} -> ${literal(last)})`, text: `(${base}${parents} ->> ${literal(last)})` };
}
