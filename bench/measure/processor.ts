import { readFileSync } from 'node:fs';

/**
 * Microseconds the processes have spent on a processor so far, or NaN where the system does not tell (Linux does). Unlike
 * a clock on the wall it does not count what others on the machine did meanwhile.
 */
export function processorTime(pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const pid of pids) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      return Number.NaN;
    }
  }
  return nanoseconds / 1000;
}
