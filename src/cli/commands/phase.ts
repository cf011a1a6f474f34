import type { Command } from 'commander';
import type { PhaseAssessment } from '../../contract/phase/index.ts';
import { unreadable } from '../failure.ts';
import { withJson } from '../options.ts';
import { print } from '../output.ts';
import { nameOfFile, textOf } from '../read-file.ts';
import type { Session } from '../session.ts';

export function registerPhase(program: Command, session: Session): void {
  const phase = program.command('phase').description('what an agent reports at the end of a phase, without a ledger');
  withJson(phase.command('assess'))
    .description('weigh the messages of a run against what was observed of it and the files it left; needs no ledger')
    .argument('<file>', 'JSON {messages, observation, files, phase?} or an array of such; - for standard input')
    .action(async (file: string) => {
      const document = parsed(await textOf(file), file);
      const assessments = Array.isArray(document)
        ? await Promise.all(document.map((one, n) => assessed(one, `/${n}`)))
        : await assessed(document, '');
      session.terminal.out(JSON.stringify(assessments, null, 2));
    });
  withJson(phase.command('prompt'))
    .description('print the instruction that tells an agent how to end')
    .action(async (options: { json?: boolean }) => {
      const { phasePrompt } = await import('../../contract/phase-report/index.ts');
      const prompt = phasePrompt();
      print(session.terminal, options.json, { prompt }, () => prompt);
    });
}

async function assessed(document: unknown, at: string): Promise<PhaseAssessment> {
  const { assessPhase, PhaseInputRefused } = await import('../../contract/phase/index.ts');
  try {
    return assessPhase(document);
  } catch (error) {
    if (!(error instanceof PhaseInputRefused)) throw error;
    throw unreadable(
      error.message,
      error.violations.map((violation) => ({ ...violation, path: `${at}${violation.path}` })),
    );
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(`${nameOfFile(file)} is not JSON: ${(error as Error).message}`);
  }
}
