// Run by actors.http.test.ts in a process of its own: an agent on a machine whose clock is hours off. It signs in, does
// fifty pieces of work at once, then one more, and says what was recorded.
const shift = Number(process.env['SHIFT_HOURS']) * 3_600_000;
const { now } = Date;
Date.now = () => now() + shift;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [Date.now()] : args, self),
});

const { createLedger } = await import('../../src/client/index.ts');
const {
  URL: url = '',
  API_KEY: apiKey = '',
  EMAIL: email = '',
  PASSWORD: password = '',
  SOURCE: id = '',
} = process.env;
const ledger = createLedger({ url, apiKey, actor: { email, password } });
const work = (n: number) =>
  ledger.invocation(
    { source: { id, version: '1.0.0', domain: 'd' }, correlation_id: `shifted-${n}`, causation_id: 'event-1' },
    async () => ({ n }),
    { heartbeat: false },
  );
const runs = await Promise.all(Array.from({ length: 50 }, (_, n) => work(n)));
const last = await work(50);
console.log(
  JSON.stringify({
    here: new Date().toISOString(),
    statuses: [...new Set([...runs, last].map((run) => run.status))],
    ids: new Set([...runs, last].map((run) => run.outcome.outcome_id)).size,
  }),
);
