import { integer, type Statement, uuid } from '../../src/database/statement.ts';
import { generateGraph, type Shape } from '../graph/generate.ts';
import { type Connections, openConnections } from '../ledger/connections.ts';
import { seedTenant } from '../ledger/seed.ts';
import { connect, startBenchServer } from '../ledger/server.ts';
import { median, quantile } from '../measure/statistics.ts';
import { figure, table, verdict } from '../report/table.ts';

const DEPTH = 10;
const TIMES = 300;
const BAR = 5;

/** 100 × 1,000 outcomes, two causes each: 198,000 links. Ten levels up from the last layer, 2^10 paths. */
const HISTORY: readonly Shape[] = [
  { name: 'near', layers: 100, width: 1000, fan: 2, causes: 'near' },
  { name: 'far', layers: 40, width: 1000, fan: 2, causes: 'far' },
];

/** Full meshes of ten layers: each width has its own number of nodes and, with ten layers, width^10 paths. */
const MESHES: readonly Shape[] = [2, 4, 8, 16].map((width) => ({
  name: `mesh-${width}`,
  layers: DEPTH + 1,
  width,
  fan: width,
  causes: 'near',
}));

/** `lineage_why` in a history of more than 200,000 links against a read of 100 outcomes by their ids. */
export async function why(): Promise<string> {
  const server = await startBenchServer();
  try {
    const { urlAs } = await server.database('bench_why');
    const admin = connect(urlAs('supabase_admin'), 1);
    const tenantId = await seedTenant(admin);
    const roots = new Map<string, string[]>();
    for (const shape of [...HISTORY, ...MESHES]) roots.set(shape.name, await generateGraph(admin, tenantId, shape));
    const [links] = await admin<{ count: string }[]>`select count(*) from public.agent_lineage_links`;
    const ids = await admin<
      { outcome_id: string }[]
    >`select outcome_id from public.outcome_ids order by random() limit 20000`;
    await admin.unsafe('vacuum analyze');
    const connections = await openConnections(urlAs('ledger_gateway'), tenantId, 1);
    const keyed = await timesOf(connections, (n) =>
      keyedRead(ids.slice((n * 100) % 19_900, ((n * 100) % 19_900) + 100)),
    );
    const rows: string[][] = [];
    for (const shape of [...HISTORY, ...MESHES]) {
      const from = roots.get(shape.name) ?? [];
      const root = (n: number) => from[(n * 7) % from.length] ?? '';
      const nodes = Number(await connections.run(0, { ...whyCount(root(0)) }));
      rows.push(row(shape, nodes, await timesOf(connections, (n) => whyRead(root(n))), keyed));
    }
    await connections.close();
    await admin.end();
    const caption = `${Number(links?.count).toLocaleString('en-US')} links; depth ${DEPTH}; ${TIMES} calls each, over the wire, in the caller's role.`;
    return `${caption}\n\n${table([
      ['', 'nodes', 'paths', 'median ms', 'p95 ms', 'µs per node', 'p95 against the keyed read', `bar ${BAR}×`],
      ['keyed read of 100 outcomes', '100', '', figure(median(keyed)), figure(quantile(keyed, 0.95)), '', '', ''],
      ...rows,
    ])}`;
  } finally {
    await server.stop();
  }
}

function row(shape: Shape, nodes: number, times: readonly number[], keyed: readonly number[]): string[] {
  const against = quantile(times, 0.95) / quantile(keyed, 0.95);
  const judged = shape.name === 'near';
  return [
    `\`lineage_why\`, ${shape.name}`,
    figure0(nodes),
    `${shape.fan}^${DEPTH} = ${figure0(shape.fan ** DEPTH)}`,
    figure(median(times)),
    figure(quantile(times, 0.95)),
    figure((median(times) * 1000) / nodes),
    `${against.toFixed(1)}×`,
    judged ? verdict(against < BAR) : '–',
  ];
}

const figure0 = (value: number) => value.toLocaleString('en-US');

async function timesOf(connections: Connections, statement: (n: number) => Statement): Promise<number[]> {
  const times: number[] = [];
  for (let n = -20; n < TIMES; n += 1) {
    const started = performance.now();
    await connections.run(0, statement(Math.abs(n)));
    if (n >= 0) times.push(performance.now() - started);
  }
  return times;
}

function keyedRead(ids: readonly { outcome_id: string }[]): Statement {
  return {
    text: `select outcome_id, source_type, source_id, source_version, domain, status, correlation_id, completed_at
             from public.agent_invocation_outcomes where outcome_id = any ($1::text::uuid[])`,
    values: [`{${ids.map((row) => row.outcome_id).join(',')}}`],
  };
}

function whyRead(root: string): Statement {
  return {
    text: 'select * from public.lineage_why($1::text::uuid, $2::text::integer)',
    values: [uuid(root).text, integer(DEPTH).text],
  };
}

function whyCount(root: string): Statement {
  return { ...whyRead(root), text: `select count(*)::text as answer from (${whyRead(root).text}) n` };
}
