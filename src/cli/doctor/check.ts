import type { Colour } from '../render/colour.ts';
import { renderTable } from '../render/table.ts';

export type Verdict = 'ok' | 'warn' | 'fail';

/** One thing that was looked at; a warn or fail says what to do. */
export interface Check {
  name: string;
  verdict: Verdict;
  detail: string;
  remedy: string | null;
}

export function ok(name: string, detail: string): Check {
  return { name, verdict: 'ok', detail, remedy: null };
}

export function warn(name: string, detail: string, remedy: string): Check {
  return { name, verdict: 'warn', detail, remedy };
}

export function fail(name: string, detail: string, remedy: string): Check {
  return { name, verdict: 'fail', detail, remedy };
}

/** One check from what is missing or wrong: ok when the list is empty, else fail naming the first few. */
export function noneOf(name: string, wrong: readonly string[], good: string, remedy: string): Check {
  if (wrong.length === 0) return ok(name, good);
  const more = wrong.length > 5 ? ` and ${wrong.length - 5} more` : '';
  return fail(name, `${wrong.slice(0, 5).join(', ')}${more}`, remedy);
}

export function renderChecks(checks: readonly Check[], colour: Colour): string {
  const paint = { ok: colour.good, warn: colour.warn, fail: colour.bad };
  const table = renderTable(
    checks,
    [
      { title: '', value: (check) => check.verdict, paint: (text, check) => paint[check.verdict](text) },
      { title: 'check', value: (check) => check.name },
      { title: 'found', value: (check) => check.detail },
      { title: 'remedy', value: (check) => check.remedy },
    ],
    colour,
  );
  const bad = checks.filter((check) => check.verdict === 'fail').length;
  const doubtful = checks.filter((check) => check.verdict === 'warn').length;
  return `${table}\n\n${checks.length} checks, ${bad} failed, ${doubtful} to look at`;
}
