import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { ArtifactRecord } from '../../client/phase-documents.ts';
import { preflight, usage } from '../failure.ts';
import { getJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, uuid, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderArtifact } from '../render/phase.ts';
import type { Session } from '../session.ts';
import { bytesOfArtifact } from './artifact-bytes.ts';

export function registerArtifact(phase: Command, session: Session): void {
  withLedger(phase.command('artifact'))
    .description('one artifact that a phase left')
    .argument('<artifact-id>', 'the artifact', uuid)
    .option('-o, --output <file>', 'write its bytes there; - for standard output')
    .action(async (id: string, options: LedgerOptions & { output?: string }) => {
      const { output, json } = options;
      if (output === '-' && json) throw usage('--json and --output - both want standard output');
      const artifact = await getJson<ArtifactRecord>(await openLedger(options), `/artifacts/${id}`);
      const { terminal } = session;
      if (output === undefined) {
        print(terminal, json, artifact, () => renderArtifact(artifact, terminal.colour));
        return;
      }
      const bytes = await bytesOfArtifact(artifact);
      if (output === '-') {
        await new Promise<void>((resolve) => process.stdout.write(bytes, () => resolve()));
        return;
      }
      await writeFile(output, bytes).catch((cause: NodeJS.ErrnoException) => {
        throw preflight('output_unwritable', `${output} cannot be written (${cause.code})`, undefined, cause);
      });
      const { content: _, ...facts } = artifact;
      print(terminal, json, { ...facts, written: output }, () => `${output}: ${bytes.length} bytes`);
    });
}
