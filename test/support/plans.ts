import postgres, { type Sql, type TransactionSql } from 'postgres';
import { type Caller, claimsOf } from './claims.ts';

/** A plan as `explain (analyze, format json)` prints it. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** One reading of one table: how, and how many rows it touched, those it dropped included. */
export interface Scan {
  node: string;
  table: string;
  index: string | undefined;
  touched: number;
  query: string;
}

export interface PlanReader {
  /** Runs `work` as `caller` and answers every scan of a table in every statement, also those inside functions. */
  scansOf(caller: Caller, work: (sql: TransactionSql) => Promise<unknown>): Promise<Scan[]>;
  close(): Promise<void>;
}

/** Reads the plans that were really run, through auto_explain. Needs a superuser's connection. */
export function openPlanReader(adminUrl: string): PlanReader {
  let plans: { text: string; plan: PlanNode }[] = [];
  const sql: Sql = postgres(adminUrl, {
    max: 1,
    onnotice: ({ message }) => {
      const json = /^duration: [\s\S]*?plan:\n([\s\S]*)$/.exec(message ?? '')?.[1];
      if (!json) return;
      const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
      plans.push({ text, plan });
    },
  });
  const loaded = sql.unsafe(`
    load 'auto_explain';
    set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on;
    set auto_explain.log_timing = off; set auto_explain.log_format = json; set auto_explain.log_level = notice;
    set client_min_messages = notice`);
  return {
    async scansOf(caller, work) {
      await loaded;
      plans = [];
      await sql.begin(async (tx) => {
        await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${JSON.stringify(claimsOf(caller))}, true)`;
        await work(tx);
      });
      return plans.flatMap(({ text, plan }) => scansIn(plan, text));
    },
    close: () => sql.end(),
  };
}

function scansIn(node: PlanNode, query: string): Scan[] {
  const below = (node.Plans ?? []).flatMap((plan) => scansIn(plan, query));
  const table = node['Relation Name'];
  const scan = /Scan$/.test(node['Node Type']) && node['Node Type'] !== 'Bitmap Index Scan';
  if (!table || !scan) return below;
  const rows =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const touched = rows * (node['Actual Loops'] ?? 1);
  return [{ node: node['Node Type'], table, index: node['Index Name'], touched, query }, ...below];
}
