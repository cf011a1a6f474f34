import { spawn } from 'node:child_process';

// Reads its standard input until the other end closes, which the system does for a process that dies in any way.
// The pid is signalled only while the cluster's own pid file still names it. A worker beside the server may write its last
// files into the folder that is being removed.
const SCRIPT = `
trap '' INT TERM HUP
while read -r _; do :; done
[ "$(head -n 1 "$2/postmaster.pid" 2>/dev/null)" = "$1" ] && kill -INT "$1" 2>/dev/null
[ -n "$3" ] || exit 0
while kill -0 "$1" 2>/dev/null; do sleep 0.1; done
tries=0
until rm -rf "$3" 2>/dev/null || [ "$tries" -ge 50 ]; do tries=$((tries + 1)); sleep 0.2; done
`;

/**
 * Starts a tiny shell that outlives this process and stops the server when this process dies without doing so itself
 * (SIGKILL, out of memory), so that no server is ever left behind; `remove` is a temporary folder to delete then.
 * Not on Windows, where the next start finds and ends the orphan.
 */
export function guardServer(pid: number, cluster: string, remove?: string): { release(): void } {
  if (process.platform === 'win32') return { release() {} };
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'outcome-ledger-guard', String(pid), cluster, remove ?? ''], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.once('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return {
    release() {
      guard.kill('SIGKILL');
    },
  };
}
