import { QueryRefused } from '../graph/fault.ts';
import { DEEPEST } from './guard.ts';

export type ParameterType = 'uuid' | 'text' | 'time' | 'depth';

/** One parameter of a named query. */
export interface QueryParameter {
  name: string;
  type: ParameterType;
  required: boolean;
  /** What stands for it when it is left out; null = no bound. */
  default: string | number | null;
  about: string;
}

const EXPECTED: Record<ParameterType, string> = {
  uuid: 'a UUID, like 0e369b9f-2b52-4b6f-9f3c-0d5a2f6f4c11',
  text: 'a text of 1 to 200 characters',
  time: 'a time like 2026-05-20T09:00:00Z, with an offset and at most six decimals, or a date like 2026-05-20 (UTC)',
  depth: `a whole number from 0 to ${DEEPEST}`,
};

const READ: Record<ParameterType, (text: string) => string | number | undefined> = {
  uuid: (text) => (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text.toLowerCase() : undefined),
  text: (text) => (text.trim() !== '' && [...text].length <= 200 ? text : undefined),
  time: timeOf,
  depth: (text) => (/^\d{1,2}$/.test(text) && Number(text) <= DEEPEST ? Number(text) : undefined),
};

/**
 * Checks the values of a query's parameters: texts, as the command line has them, or numbers.
 *
 * @throws QueryRefused `query_invalid`, with the path of the value, what was expected, and what was given
 */
export function readParameters(
  query: string,
  parameters: readonly QueryParameter[],
  raw: Record<string, unknown>,
): Record<string, string | number | null> {
  const unknown = Object.keys(raw).filter((name) => !parameters.some((parameter) => parameter.name === name));
  if (unknown.length > 0) {
    const names = parameters.map((parameter) => parameter.name).join(', ');
    throw new QueryRefused('query_invalid', `/${unknown[0]} is no parameter of ${query}: it has ${names}`);
  }
  return Object.fromEntries(
    parameters.map((parameter) => [parameter.name, readParameter(query, parameter, raw[parameter.name])]),
  );
}

function readParameter(query: string, parameter: QueryParameter, value: unknown): string | number | null {
  const { name, type, required } = parameter;
  if (value === undefined || value === null) {
    if (!required) return parameter.default;
    throw new QueryRefused(
      'query_invalid',
      `/${name} is missing: ${query} needs ${EXPECTED[type]} (${parameter.about})`,
    );
  }
  return readValue(`/${name}`, type, value);
}

/** @throws QueryRefused `query_invalid` */
export function readValue(path: string, type: ParameterType, value: unknown): string | number {
  const text = typeof value === 'number' ? String(value) : value;
  const read = typeof text === 'string' ? READ[type](text) : undefined;
  if (read !== undefined) return read;
  throw new QueryRefused('query_invalid', `${path} must be ${EXPECTED[type]}, not ${shown(value)}`);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?([Zz]|[+-]\d\d:\d\d))?$/;

/** RFC 3339 in UTC with six decimals, as both graphs hold times. */
function timeOf(text: string): string | undefined {
  const [, date, clock = '00:00:00', decimals = '', offset = 'Z'] = TIME.exec(text) ?? [];
  if (!date) return undefined;
  const local = `${date}T${clock}`;
  // JavaScript takes 30 February for 2 March, and 24:00 for the next day.
  const known = new Date(`${local}Z`);
  if (Number.isNaN(known.getTime()) || known.toISOString().slice(0, 19) !== local) return undefined;
  const time = new Date(`${local}${offset.toUpperCase()}`);
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1970 || time.getUTCFullYear() > 9999) return undefined;
  return `${time.toISOString().slice(0, 19)}.${decimals.padEnd(6, '0')}Z`;
}
