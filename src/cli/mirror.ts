import type { OnceReport, ReconcileReport, RetryReport } from '../../lineage/index.ts';
import { usage } from './failure.ts';
import { graphTargetOf, type MirrorOptions, workerDatabaseUrlOf } from './graph-options.ts';
import { requireLocal } from './ledger.ts';
import type { LocalStack } from './local-stack.ts';
import { mirrorFailure } from './mirror-failure.ts';
import { dataDirOf, type LocalOptions } from './options.ts';
import { ownerLoginWarning } from './owner-login.ts';
import { fromReport, fromWorker, type MirrorStatus } from './render/mirror-status.ts';

/** What `sync` does, through the worker of a running stack or with both sides named. What is refused is a Failure. */
export interface SyncTarget {
  status(): Promise<MirrorStatus>;
  once(): Promise<OnceReport>;
  reconcile(options: { dryRun: boolean }): Promise<ReconcileReport>;
  retryQuarantined(): Promise<RetryReport>;
}

/**
 * With --database-url or its variable both sides are named; else the local stack's own mirror. A named data directory beats the
 * variable.
 *
 * @param warn told of a connection that is the owner's
 */
export async function syncTarget(
  options: LocalOptions & MirrorOptions,
  warn: (text: string) => void,
): Promise<SyncTarget> {
  const named = options.databaseUrl !== undefined || options.dataDir === undefined;
  const databaseUrl = named ? workerDatabaseUrlOf('sync', options.databaseUrl) : undefined;
  if (databaseUrl !== undefined) {
    const warning = ownerLoginWarning('sync', databaseUrl);
    if (warning) warn(warning);
    return namedMirror(databaseUrl, options);
  }
  if (options.tenant !== undefined) {
    throw usage(
      '--tenant names a mirror of one tenant; the local stack mirrors all',
      'leave it out, or give --database-url',
    );
  }
  return mirrorOfStack(await requireLocal(dataDirOf(options)));
}

export function mirrorOfStack({ mirror }: LocalStack): SyncTarget {
  return withFailures({
    status: async () => fromWorker(await mirror.status()),
    once: () => mirror.once(),
    reconcile: (options) => mirror.reconcile(options),
    retryQuarantined: () => mirror.retryQuarantined(),
  });
}

export async function namedMirror(
  databaseUrl: string,
  options: Omit<MirrorOptions, 'databaseUrl'>,
): Promise<SyncTarget> {
  const graph = graphTargetOf(options);
  const [{ openMirror }, lineage] = await Promise.all([
    import('../stack/workers/open-mirror.ts'),
    import('../../lineage/index.ts'),
  ]);
  const sides = async () => openMirror(databaseUrl, graph, options.tenant);
  return withFailures({
    status: async () => fromReport(await lineage.syncStatus(await sides())),
    once: async () => lineage.syncOnce(await sides()),
    reconcile: async (asked) => lineage.reconcile(await sides(), asked),
    retryQuarantined: async () => lineage.retryQuarantined(await sides()),
  });
}

function withFailures(target: SyncTarget): SyncTarget {
  const told = <T>(asked: Promise<T>): Promise<T> =>
    asked.catch(async (error: unknown) => {
      throw await mirrorFailure(error);
    });
  return {
    status: () => told(target.status()),
    once: () => told(target.once()),
    reconcile: (options) => told(target.reconcile(options)),
    retryQuarantined: () => told(target.retryQuarantined()),
  };
}
