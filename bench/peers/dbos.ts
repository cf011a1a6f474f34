import { DBOS } from '@dbos-inc/dbos-sdk';
import { type Contender, together } from '../measure/interleave.ts';

/** DBOS in a database of its own: a workflow with one step, whose result is its outcome. */
export async function dbos(
  url: string,
  options: { callers: number; perSlice: number; data: Record<string, unknown> },
): Promise<Contender & { close(): Promise<void> }> {
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: url,
    systemDatabasePoolSize: options.callers,
    logLevel: 'error',
    runAdminServer: false,
  });
  const run = DBOS.registerWorkflow(
    async (data: Record<string, unknown>) => DBOS.runStep(async () => data, { name: 'step' }),
    { name: 'run' },
  );
  await DBOS.launch();
  return {
    name: 'DBOS',
    async slice() {
      await together(options.callers, options.perSlice, () => run(options.data));
      return options.perSlice;
    },
    close: () => DBOS.shutdown(),
  };
}
