import type { Command } from 'commander';
import type { ArtifactRecord, PhaseInputs } from '../../client/phase-documents.ts';
import { getJson, type Reader } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, uuid, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderInputs, renderWritten } from '../render/phase-inputs.ts';
import type { Session } from '../session.ts';
import { bytesOfArtifact } from './artifact-bytes.ts';
import { inWorkspace } from './workspace.ts';

export function registerInputs(phase: Command, session: Session): void {
  withLedger(phase.command('inputs'))
    .description('what the earlier phases of an execution left for an invocation')
    .argument('<invocation-id>', 'the invocation', uuid)
    .option('--workspace <dir>', 'write the files into this directory, below artifacts/input/')
    .action(async (id: string, options: LedgerOptions & { workspace?: string }) => {
      const ledger = await openLedger(options);
      const inputs = await getJson<PhaseInputs>(ledger, `/invocations/${id}/inputs`);
      const { terminal } = session;
      if (options.workspace === undefined) {
        print(terminal, options.json, inputs, () => renderInputs(inputs, terminal.colour));
        return;
      }
      const placed = await writeInputs(ledger, inputs, options.workspace);
      print(terminal, options.json, { ...inputs, ...placed }, () => renderWritten(inputs, placed, terminal.colour));
    });
}

/** Paths below the workspace. */
export interface PlacedInputs {
  written: string[];
  /** They were there with the same bytes. */
  unchanged: string[];
}

/** An artifact that has two paths is fetched once. */
async function writeInputs(ledger: Reader, { items }: PhaseInputs, workspace: string): Promise<PlacedInputs> {
  const { writeInput } = await import('../../runner/index.ts');
  const placed: PlacedInputs = { written: [], unchanged: [] };
  for (const id of new Set(items.map((item) => item.artifact_id))) {
    const artifact = await getJson<ArtifactRecord>(ledger, `/artifacts/${encodeURIComponent(id)}`);
    const bytes = await bytesOfArtifact(artifact);
    for (const { path } of items.filter((item) => item.artifact_id === id)) {
      placed[await inWorkspace(() => writeInput(workspace, path, bytes))].push(path);
    }
  }
  return placed;
}
