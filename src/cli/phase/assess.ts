import type { Command } from 'commander';
import type { PhaseAssessment } from '../../contract/phase/index.ts';
import { unreadable } from '../failure.ts';
import { withJson } from '../options.ts';
import { nameOfFile, textOf } from '../read-file.ts';
import type { Session } from '../session.ts';

export function registerAssess(phase: Command, session: Session): void {
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
