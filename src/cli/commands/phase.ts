import type { Command } from 'commander';
import { withJson } from '../options.ts';
import { print } from '../output.ts';
import { registerArtifact } from '../phase/artifact.ts';
import { registerAssess } from '../phase/assess.ts';
import { registerConclude } from '../phase/conclude.ts';
import { registerFailures } from '../phase/failures.ts';
import { registerInputs } from '../phase/inputs.ts';
import type { Session } from '../session.ts';

export function registerPhase(program: Command, session: Session): void {
  const phase = program.command('phase').description('what an agent reports at its end, and what it leaves');
  registerPrompt(phase, session);
  registerConclude(phase, session);
  registerAssess(phase, session);
  registerInputs(phase, session);
  registerArtifact(phase, session);
  registerFailures(phase, session);
}

function registerPrompt(phase: Command, session: Session): void {
  withJson(phase.command('prompt'))
    .description('print the instruction that tells an agent how to end; needs no ledger')
    .action(async (options: { json?: boolean }) => {
      const { phasePrompt } = await import('../../contract/phase-report/index.ts');
      const prompt = phasePrompt();
      print(session.terminal, options.json, { prompt }, () => prompt);
    });
}
