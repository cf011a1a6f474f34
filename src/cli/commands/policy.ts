import type { Command } from 'commander';
import type { PolicySetRecord } from '../../client/documents.ts';
import type { CheckedPolicySet } from '../../policy/index.ts';
import { EXIT } from '../exit.ts';
import { preflight } from '../failure.ts';
import { postJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, withJson, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { textOf } from '../read-file.ts';
import { renderPolicyCheck } from '../render/policy-check.ts';
import { renderFields } from '../render/table.ts';
import type { Session } from '../session.ts';

interface CheckOptions {
  schema?: string;
  json?: boolean;
}

export function registerPolicy(program: Command, session: Session): void {
  const policy = program.command('policy').description('policy sets in Cedar');
  withJson(policy.command('check'))
    .description('parse and validate a policy set as it is when stored; needs no ledger (exit 1 invalid, 2 unreadable)')
    .argument('<file>', 'Cedar policies, or - for standard input')
    .option('--schema <file>', 'Cedar schema to hold them against')
    .action(async (file: string, options: CheckOptions) => {
      const checked = await check(file, options.schema);
      print(session.terminal, options.json, checked, () => renderPolicyCheck(checked, file, session.terminal.colour));
      if (!checked.ok) session.exit = EXIT.failed;
    });
  withLedger(policy.command('put'))
    .description('store a policy set as the one in force')
    .argument('<file>', 'Cedar policies, or - for standard input')
    .requiredOption('--set-version <semver>', 'its version, such as 1.2.0; a version never changes')
    .option('--schema <file>', 'Cedar schema to hold them against')
    .option('--mask <pointer...>', 'what is masked before an input is kept, such as /context/email')
    .option('--note <text>', 'why this version')
    .option('--as <actor>', 'the policy guard, on the local stack (elsewhere the token says it)', 'local-guard')
    .action(async (file: string, options: LedgerOptions & PutOptions) => {
      const body = {
        version: options.setVersion,
        policies: await textOf(file),
        schema: options.schema === undefined ? null : await textOf(options.schema),
        mask: options.mask ?? [],
        note: options.note ?? null,
      };
      const ledger = await openLedger(options, { role: 'policy_guard', actorId: options.as });
      const stored = await postJson<PolicySetRecord>(ledger, '/policy/sets', body);
      print(session.terminal, options.json, stored, () =>
        renderFields(
          [
            ['version', stored.version],
            ['hash', stored.content_hash],
            ['stored', stored.recorded_at],
            ['by', stored.recorded_by],
          ],
          session.terminal.colour,
        ),
      );
    });
}

interface PutOptions {
  setVersion: string;
  schema?: string;
  mask?: string[];
  note?: string;
  as: string;
}

async function check(file: string, schema: string | undefined): Promise<CheckedPolicySet> {
  const source = { policies: await textOf(file), schema: schema === undefined ? null : await textOf(schema) };
  const { checkPolicySet, PolicyEngineError } = await import('../../policy/index.ts');
  try {
    return await checkPolicySet(source);
  } catch (error) {
    if (!(error instanceof PolicyEngineError)) throw error;
    throw preflight(error.code, error.message, 'npm install @cedar-policy/cedar-wasm', error);
  }
}
