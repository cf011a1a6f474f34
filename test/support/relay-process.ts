// Run by the relay's tests in a process of its own, to be killed: a relay on the database that RELAY_URL names.
import { startRelay } from '../../src/relay/index.ts';

startRelay({
  url: process.env['RELAY_URL'] ?? '',
  allowLoopback: true,
  env: {},
  pace: { busyMs: 5, idleMs: 50, backoffMs: 10, backoffMaxMs: 100, leaseMs: 2500, timeoutMs: 1000 },
  retry: { baseMs: 20, capMs: 100, maxAttempts: 10_000 },
});
console.log('ready');
setInterval(() => undefined, 60_000);
