const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves at the first signal that asks this process to stop, so that what it started can be stopped in order.
 * From then on the signals have their ordinary effect again: a second Ctrl-C does not wait.
 */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      for (const name of STOPPING) process.off(name, stop);
      // What was under way fails when its ledger goes, and the database's driver lets some of that reach nobody: no reason to
      // end before all is put away.
      process.on('unhandledRejection', () => undefined);
      process.on('uncaughtException', () => undefined);
      resolve(signal);
    };
    for (const name of STOPPING) process.on(name, stop);
  });
}
