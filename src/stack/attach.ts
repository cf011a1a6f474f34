import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openKeys } from './keys.ts';
import { isAlive } from './postgres/postmaster.ts';
import type { Stack } from './stack.ts';
import { stackOf } from './stack-handle.ts';
import { readState, type StackState } from './state.ts';
import { mintToken } from './tokens.ts';

const LONGEST_RESTART_MS = 15_000;

/** The stack that runs on a data directory, in whatever process; undefined when none does. */
export async function attach(dataDir: string): Promise<Stack | undefined> {
  const directory = await realpath(dataDir).catch(() => undefined);
  const state = directory ? await readState(directory) : undefined;
  if (!state || !(await answers(state))) return undefined;
  const keys = await openKeys(path.join(state.data_dir, 'signing-keys.json'));
  let stopped: Promise<void> | undefined;
  return stackOf(state, {
    mintToken: (claims) => mintToken(keys, state.issuer, claims),
    rotateKeys: (grace) => keys.rotate(grace),
    stop: () => stopElsewhere(state),
    get stopped() {
      stopped ??= untilGone(state);
      return stopped;
    },
  });
}

// The file alone proves nothing: its process may have been killed, and its port be another program's.
async function answers(state: StackState): Promise<boolean> {
  try {
    for (const end = Date.now() + LONGEST_RESTART_MS; ; await sleep(100)) {
      const response = await fetch(new URL('/.outcome-ledger', state.functions_url), {
        signal: AbortSignal.timeout(5000),
      });
      const said = (await response.json()) as { instance?: string; database?: string };
      if (said.instance !== state.instance) return false;
      // A stack that restarts its database is whole again soon, or stops itself.
      if (said.database !== 'restarting' || Date.now() > end) return true;
    }
  } catch {
    return false;
  }
}

async function stopElsewhere(state: StackState): Promise<void> {
  const response = await fetch(new URL('/.outcome-ledger/stop', state.functions_url), {
    method: 'POST',
    headers: { authorization: `Bearer ${state.control_token}` },
  });
  if (response.status !== 202) throw new Error(`The stack refused to stop: ${await response.text()}`);
  await untilGone(state);
}

async function untilGone(state: StackState): Promise<void> {
  // The file goes last of all, or stays behind a process that was killed.
  while ((await readState(state.data_dir))?.instance === state.instance && isAlive(state.pid)) await sleep(50);
}
