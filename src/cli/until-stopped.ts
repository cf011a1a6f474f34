const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves at the first signal that asks this process to stop, so that what it started can be stopped in order.
 * From then on the signals have their ordinary effect again: a second Ctrl-C does not wait.
 */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      for (const name of STOPPING) process.off(name, stop);
      resolve(signal);
    };
    for (const name of STOPPING) process.on(name, stop);
  });
}
