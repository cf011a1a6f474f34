import type { Kind } from '../src/contract/scalars/kind.ts';
import { literal, textArray } from './sql-text.ts';

/** A value in SQL: the jsonb and its text (`->>`). */
export interface Place {
  readonly json: string;
  readonly text: string;
}

/**
 * The form in which a time usually comes, as JavaScript writes it, told without a regular expression in half the time;
 * whatever this says no to (the last days of a month, other decimals) still has the kind's pattern to pass.
 */
function usualTime(text: string): string {
  const part = (start: number, length: number) => `substr(${text}, ${start}, ${length}) collate "C"`;
  return [
    `${text} like '____-__-__T__:__:__.___Z'`,
    `translate(${text}, '0123456789', '') = '--T::.Z'`,
    `${text} collate "C" >= '1970'`,
    `${part(6, 2)} between '01' and '12'`,
    `${part(9, 2)} between '01' and '28'`,
    `${part(12, 2)} <= '23'`,
    `${part(15, 1)} <= '5'`,
    `${part(18, 1)} <= '5'`,
  ].join(' and ');
}

const USUAL_FORM: Readonly<Record<string, (text: string) => string>> = { time: usualTime };

const isJsonLiteral = (word: string) => /^(true|false|null|-?[0-9.]+)$/.test(word);

function stringSql(kind: Kind, { json, text }: Place): string {
  if (kind.words) {
    // No text of a number, boolean, array or object equals these words, unless a word itself reads like one.
    if (kind.words.some(isJsonLiteral)) {
      return kind.words.map((word) => `${json} = ${literal(JSON.stringify(word))}::jsonb`).join(' or ');
    }
    return `${text} = any (${textArray(kind.words)})`;
  }
  const tests: string[] = [];
  if (!kind.selfTyped) tests.push(`jsonb_typeof(${json}) = 'string'`);
  if (kind.notEmpty) tests.push(`${text} <> ''`);
  if (kind.maxCodePoints !== undefined) tests.push(`char_length(${text}) <= ${kind.maxCodePoints}`);
  if (kind.pattern !== undefined) {
    const usual = USUAL_FORM[kind.rule];
    const matches = `${text} ~ ${literal(kind.pattern)}`;
    tests.push(usual ? `(${usual(text)} or ${matches})` : matches);
  }
  const all = tests.join(' and ');
  if (kind.orderedAround === undefined) return all;
  const part = (index: number) => `split_part(${text}, ${literal(kind.orderedAround ?? '')}, ${index})::bigint`;
  // Only a case keeps the casts from being tried on other texts.
  return `case when ${all} then ${part(1)} <= ${part(2)} else false end`;
}

/**
 * The kind as a boolean SQL expression; false or null for anything else, and it never raises.
 * jsonb's own order puts every number between two numbers and nothing else, so `between` also tells the type.
 */
export function kindSql(kind: Kind, place: Place): string {
  switch (kind.base) {
    case 'any':
      return 'true';
    case 'object':
    case 'boolean':
      return `jsonb_typeof(${place.json}) = '${kind.base}'`;
    case 'string':
      return stringSql(kind, place);
    default: {
      const range = `${place.json} between '${kind.min}'::jsonb and '${kind.max}'::jsonb`;
      if (kind.base === 'number') return range;
      return `case when ${range} then (${place.json})::numeric % 1 = 0 else false end`;
    }
  }
}
