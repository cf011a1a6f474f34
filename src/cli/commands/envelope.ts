import type { Command } from 'commander';
import type { Violation } from '../../contract/index.ts';
import { EXIT } from '../exit.ts';
import { unreadable } from '../failure.ts';
import { withJson } from '../options.ts';
import { print } from '../output.ts';
import { bytesOf, nameOfFile } from '../read-file.ts';
import { renderProblem } from '../render/problem.ts';
import type { Session } from '../session.ts';

export function registerEnvelope(program: Command, session: Session): void {
  const envelope = program.command('envelope').description('outcome envelopes, without a ledger');
  withJson(envelope.command('check'))
    .description(
      'check an envelope, or that of a request with one, against the contract; needs no ledger (exit 1 invalid, 2 unreadable)',
    )
    .argument('<file>', 'a JSON file, or - for standard input')
    .action(async (file: string, options: { json?: boolean }) => {
      const { violations, checked } = await check(await bytesOf(file), file);
      const { terminal } = session;
      const text = () =>
        violations.length === 0
          ? `${terminal.colour.good('valid')}${checked ? `  (a request: its ${checked} was checked)` : ''}`
          : renderProblem(
              { code: 'envelope_invalid', detail: countOf(violations, checked), violations },
              terminal.colour,
            );
      print(terminal, options.json, { valid: violations.length === 0, violations, checked }, text);
      if (violations.length > 0) session.exit = EXIT.failed;
    });
}

interface Checked {
  violations: Violation[];
  /** JSON Pointer to the envelope, when the document is the request that carries one. */
  checked?: '/outcome';
}

/** The violations of the exact bytes; bytes that are no JSON at all are unreadable rather than invalid. */
async function check(bytes: Uint8Array, file: string): Promise<Checked> {
  const { checkEnvelope, readStrictJson } = await import('../../contract/index.ts');
  const read = readStrictJson(bytes);
  if (!read.ok) {
    if (isJson(bytes)) return { violations: read.violations };
    throw unreadable(`${nameOfFile(file)} is not JSON`, read.violations);
  }
  const { value } = read;
  if (!isRequest(value)) return { violations: violationsOf(checkEnvelope(value)) };
  const inside = violationsOf(checkEnvelope(value.outcome));
  const violations = inside.map((violation) => ({ ...violation, path: `/outcome${violation.path}` }));
  return { violations, checked: '/outcome' };
}

function violationsOf(answer: { ok: true } | { ok: false; violations: Violation[] }): Violation[] {
  return answer.ok ? [] : answer.violations;
}

/** What `POST /outcomes` takes: a subject and its envelope. No envelope has these members. */
function isRequest(value: unknown): value is { outcome: unknown } {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'outcome')) return false;
  return Object.hasOwn(value, 'invocation_id') || Object.hasOwn(value, 'execution_id');
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

function countOf(violations: readonly Violation[], checked?: string): string {
  const what = checked ? `the envelope at ${checked} of the request` : 'the envelope';
  return `${what} breaks ${violations.length === 1 ? 'one rule' : `${violations.length} rules`}`;
}
