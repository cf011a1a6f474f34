import { type Command, Option } from 'commander';
import { EXIT } from '../exit.ts';
import { usage } from '../failure.ts';
import { graphOption, type MirrorOptions, syncDatabaseUrlOption } from '../graph-options.ts';
import { type SyncTarget, syncTarget } from '../mirror.ts';
import { type LocalOptions, uuid, withLocal } from '../options.ts';
import { print } from '../output.ts';
import { renderMirrorStatus } from '../render/mirror-status.ts';
import { withProgress } from '../render/progress.ts';
import { isSame, renderOnce, renderReconcile, renderRetry } from '../render/sync-reports.ts';
import type { Session } from '../session.ts';

interface SyncOptions extends LocalOptions, MirrorOptions {
  once?: boolean;
  status?: boolean;
  reconcile?: boolean;
  retryQuarantined?: boolean;
  dryRun?: boolean;
}

const MODES = ['once', 'status', 'reconcile', 'retryQuarantined'] as const;

export function registerSync(program: Command, session: Session): void {
  withLocal(program.command('sync'))
    .description('the mirror of the lineage in a graph: how it is, catch up, compare and repair')
    .option('--once', 'bring the graph to the end of the feed, then return')
    .option('--status', 'how far the graph is, and what keeps it (exit 1 when something does)')
    .option('--reconcile', 'compare both sides and repair the graph')
    .option('--retry-quarantined', 'try the rows again that the graph refused (exit 1 when it refuses one still)')
    .option('--dry-run', 'with --reconcile: compare only (exit 1 when the sides differ)')
    .addOption(syncDatabaseUrlOption())
    .addOption(graphOption())
    .option('--graph-dir <dir>', 'where the embedded graph keeps its files')
    .addOption(new Option('--tenant <id>', 'the mirror of this tenant alone').argParser(uuid))
    .action(async (options: SyncOptions) => {
      const modes = MODES.filter((mode) => options[mode]);
      const [mode] = modes;
      if (mode === undefined || modes.length > 1) {
        throw usage(
          'one of --once, --status, --reconcile, --retry-quarantined is wanted',
          'outcome-ledger sync --status',
        );
      }
      if (options.dryRun && mode !== 'reconcile') throw usage('--dry-run goes with --reconcile');
      const target = await syncTarget(options, (text) => session.terminal.err(session.terminal.errColour.warn(text)));
      const bar = { watched: session.terminal.watched, total: 1 };
      await withProgress(WORDS[mode], bar, () => ACTIONS[mode](session, options, target));
    });
}

const WORDS = {
  once: 'catching up',
  status: 'asking',
  reconcile: 'comparing both sides',
  retryQuarantined: 'trying again',
};

type Action = (session: Session, options: SyncOptions, target: SyncTarget) => Promise<void>;

const ACTIONS: Record<(typeof MODES)[number], Action> = {
  async once({ terminal }, { json }, target) {
    const report = await target.once();
    print(terminal, json, report, () => renderOnce(report));
  },
  async status(session, { json }, target) {
    const status = await target.status();
    print(session.terminal, json, status, () => renderMirrorStatus(status, session.terminal.colour));
    if (status.degraded_by.length > 0) session.exit = EXIT.failed;
  },
  async reconcile(session, { json, dryRun = false }, target) {
    const report = await target.reconcile({ dryRun });
    print(session.terminal, json, report, () => renderReconcile(report, dryRun));
    if (dryRun ? !isSame(report) : report.refused > 0) session.exit = EXIT.failed;
  },
  async retryQuarantined(session, { json }, target) {
    const report = await target.retryQuarantined();
    print(session.terminal, json, report, () => renderRetry(report));
    if (report.kept > 0) session.exit = EXIT.failed;
  },
};
