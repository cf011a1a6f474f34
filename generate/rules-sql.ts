import type { Condition, Pointer, Rule } from '../src/contract/rules/rule.ts';
import type { Place } from './scalars-sql.ts';
import { literal, textArray } from './sql-text.ts';

/** Finds a member's place in SQL. */
export type Finder = (path: Pointer) => Place;

const presence = (find: Finder, paths: readonly Pointer[]) =>
  paths.map((path) => `(${present(find(path))})::integer`).join(' + ');

const absent = ({ json }: Place) => `coalesce(jsonb_typeof(${json}), 'null') = 'null'`;
const present = ({ json }: Place) => `coalesce(jsonb_typeof(${json}), 'null') <> 'null'`;
const hasEntries = ({ json }: Place) => `jsonb_typeof(${json}) = 'array' and ${json} <> '[]'::jsonb`;

/**
 * Two valid times of one length, both ending in Z, are ordered as their texts are; that spares the hot path a call.
 */
function timeAtMost(early: string, late: string, shapeHolds: boolean): string {
  const slow = `coalesce(ledger_internal.time_at_most(${early}, ${late}), true)`;
  if (!shapeHolds) return slow;
  return (
    `(length(${early}) = length(${late}) and right(${early}, 1) = 'Z' and right(${late}, 1) = 'Z'` +
    ` and ${early} collate "C" <= ${late} or ${slow})`
  );
}

/**
 * The condition as SQL that is true or false, never null, and never raises. `shapeHolds`: the document's shape is known
 * to be good here.
 */
export function conditionSql(condition: Condition, find: Finder, shapeHolds: boolean): string {
  if ('absent' in condition) return absent(find(condition.absent));
  if ('present' in condition) return present(find(condition.present));
  if ('is' in condition) return `coalesce(${find(condition.is[0]).text} = ${literal(condition.is[1])}, false)`;
  if ('isNot' in condition) return `${find(condition.isNot[0]).text} is distinct from ${literal(condition.isNot[1])}`;
  if ('isIn' in condition) {
    return `coalesce(${find(condition.isIn[0]).text} = any (${textArray(condition.isIn[1])}), false)`;
  }
  if ('emptyList' in condition) {
    const place = find(condition.emptyList);
    return `coalesce(jsonb_typeof(${place.json}) <> 'array' or ${place.json} = '[]'::jsonb, true)`;
  }
  if ('someEntry' in condition) {
    const place = find(condition.someEntry);
    return `coalesce(jsonb_typeof(${place.json}) <> 'null' and ${place.json} <> '[]'::jsonb, false)`;
  }
  if ('entryWith' in condition) {
    const [path, member, value] = condition.entryWith;
    const place = find(path);
    const wanted = literal(JSON.stringify([{ [member]: value }]));
    return `(coalesce(not (${hasEntries(place)}), true) or ${place.json} @> ${wanted}::jsonb)`;
  }
  if ('numberAtMost' in condition) {
    const [low, high] = condition.numberAtMost.map((path) => find(path).json);
    return (
      `(coalesce(jsonb_typeof(${low}) <> 'number' or jsonb_typeof(${high}) <> 'number', true)` +
      ` or ${low} <= ${high})`
    );
  }
  if ('timeAtMost' in condition) {
    const [early, late] = condition.timeAtMost;
    return timeAtMost(find(early).text, find(late).text, shapeHolds);
  }
  if ('allDifferent' in condition) {
    const place = find(condition.allDifferent);
    return `(${absent(place)} or ledger_internal.all_different(${place.json}))`;
  }
  if ('textDiffers' in condition) {
    const [one, other] = condition.textDiffers.map(find);
    return `(coalesce(jsonb_typeof(${one?.json}) <> 'string', true) or ${one?.json} is distinct from ${other?.json})`;
  }
  if ('onePresent' in condition) return `${presence(find, condition.onePresent)} = 1`;
  if ('atMostOnePresent' in condition) return `${presence(find, condition.atMostOnePresent)} <= 1`;
  const [path, bytes] = condition.storedWithin;
  return `coalesce(pg_column_size(${find(path).json}) <= ${bytes}, true)`;
}

/** The whole rule as SQL that is true when the document keeps it. */
export function ruleSql(rule: Rule, find: Finder, shapeHolds: boolean): string {
  const need = conditionSql(rule.need, find, shapeHolds);
  if (!rule.when || rule.when.length === 0) return need;
  return `not (${rule.when.map((condition) => conditionSql(condition, find, shapeHolds)).join(' and ')}) or ${need}`;
}
