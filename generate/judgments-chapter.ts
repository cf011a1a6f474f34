/** The chapter in which judgments are derived: a view, whose CASE expressions come from the table of the contract. */

import { JUDGMENTS } from '../src/contract/judgment/words.ts';
import type { GeneratedFile } from './generated-file.ts';
import { consequenceCase, judgmentCase, lifecycleCase, reasonCase, SQL, tagCase } from './judgment-case.ts';
import { literal } from './sql-text.ts';

const PARTS = {
  lifecycle: 's.lifecycle',
  verification: 's.verification',
  required: 's.verification_required',
  assessment: 's.assessment',
};

const WORDS = {
  lifecycle: 'lifecycle',
  verification: 'verification',
  required: 'required',
  assessment: 'assessment',
};

interface Kind {
  readonly subject: 'invocation' | 'execution';
  readonly sourceType: 'agent' | 'workflow';
  readonly outcomes: string;
  readonly starts: string;
  /** Columns invocation_id and execution_id of a row. */
  readonly ids: (row: string) => string;
}
const KINDS: readonly Kind[] = [
  {
    subject: 'invocation',
    sourceType: 'agent',
    outcomes: 'public.agent_invocation_outcomes',
    starts: 'public.agent_invocations',
    ids: (row) => `${row}.invocation_id, ${row}.execution_id`,
  },
  {
    subject: 'execution',
    sourceType: 'workflow',
    outcomes: 'public.workflow_outcomes',
    starts: 'public.workflow_executions',
    ids: (row) => `null::uuid as invocation_id, ${row}.execution_id`,
  },
];

/** Until when a human may still answer about an escalated outcome. */
const awaitingUntil = (subject: string) => `case when o.status = 'escalated' then (
             select q.expires_at from public.hitl_requests q
              where q.${subject}_id = o.${subject}_id and q.tenant_id = o.tenant_id
                and not exists (select from public.hitl_resolutions a where a.hitl_request_id = q.hitl_request_id and a.tenant_id = q.tenant_id)
                and not exists (select from public.hitl_requests n where n.${subject}_id = q.${subject}_id and n.tenant_id = q.tenant_id and (n.epoch, n.seq) > (q.epoch, q.seq))) end`;

/** Evidence about an outcome, its latest row, as it is looked up for one outcome or a few. */
const latest = (table: string, alias: string, sourceType: string) => `
  left join (
    select e.* from public.${table} e
     where not exists (select from public.${table} n where n.outcome_id = e.outcome_id and n.tenant_id = e.tenant_id and n.source_type = e.source_type and (n.epoch, n.seq) > (e.epoch, e.seq))
  ) ${alias} on ${alias}.outcome_id = o.outcome_id and ${alias}.tenant_id = o.tenant_id and ${alias}.source_type = '${sourceType}'`;

/** What judgments of outcomes rest on, as it stands in the ledger. */
const facts = ({ subject, sourceType, outcomes, ids }: Kind) => `
select o.tenant_id, '${subject}'::text as subject_type, ${ids('o')}, o.outcome_id, o.source_type, o.source_id, o.source_version, o.domain, o.correlation_id, o.status,
       o.completion_reason, v.standing_verification as verification, coalesce(v.verification_required, o.verification_required) as verification_required, v.verification_id, d.assessment,
       g.outcome_id is not null as integrated, ${awaitingUntil(subject)} as awaiting_until,
       o.recorded_at, o.epoch, o.xid, o.seq
  from ${outcomes} o${latest('outcome_verifications', 'v', sourceType)}${latest('delivery_assessments', 'd', sourceType)}
  left join public.outcome_integrations g on g.outcome_id = o.outcome_id and g.tenant_id = o.tenant_id and g.source_type = '${sourceType}'`;

const ended = `
    select f.tenant_id, f.subject_type, f.invocation_id, f.execution_id, f.outcome_id, f.source_type, f.source_id, f.source_version, f.domain, f.correlation_id, f.status,
           ${lifecycleCase(SQL, {
             status: 'f.status',
             completionReason: 'f.completion_reason',
             integrated: 'f.integrated',
             openRequest: 'f.awaiting_until > statement_timestamp()',
           })} as lifecycle,
           coalesce(f.verification, case when f.verification_required then 'pending' else 'skipped' end) as verification,
           f.verification_required, f.assessment, f.verification_id, f.recorded_at, f.epoch, f.xid, f.seq
      from ledger_internal.outcome_facts f`;

const open = ({ subject, sourceType, starts, ids }: Kind, only = '') => `
    select i.tenant_id, '${subject}'::text, ${ids('i')}, null::uuid, '${sourceType}'::text, i.source_id, i.source_version, i.domain, i.correlation_id, null::text,
           case when w.awaiting then 'awaiting_input' when w.stalled then 'stalled'
                else coalesce((select e.lifecycle from public.lifecycle_events e where e.${subject}_id = i.${subject}_id and e.tenant_id = i.tenant_id order by e.epoch desc, e.seq desc limit 1), 'running') end,
           case when ledger_internal.verification_required(i.verify) then 'pending' else 'skipped' end, ledger_internal.verification_required(i.verify), null::text, null::uuid,
           i.recorded_at, i.epoch, i.xid, i.seq
      from ledger_internal.open_subjects('${subject}'${only}) w
      join ${starts} i on i.${subject}_id = w.subject_id and i.tenant_id = w.tenant_id`;

/** Judgments of what `of` selects: facts, a row a subject. */
const judged = (
  of: string,
) => `select s.tenant_id, s.subject_type, s.invocation_id, s.execution_id, s.outcome_id, s.source_type, s.source_id, s.source_version, s.domain, s.correlation_id, s.status,
       s.lifecycle, s.verification, s.verification_required as required, s.assessment, s.verification_id, j.judgment, r.reason,
       ${tagCase(SQL, 'j.judgment', 'r.reason')} as tag,
       ${consequenceCase(SQL, 'gate', 'j.judgment')} as gate,
       ${consequenceCase(SQL, 'counts_as_success', 'j.judgment')} as counts_as_success,
       ${consequenceCase(SQL, 'in_success_base', 'j.judgment')} as in_success_base,
       ${consequenceCase(SQL, 'in_agent_score', 'j.judgment')} as in_agent_score,
       s.recorded_at, s.epoch, s.xid, s.seq
  from (${of}
  ) s (tenant_id, subject_type, invocation_id, execution_id, outcome_id, source_type, source_id, source_version, domain, correlation_id, status,
       lifecycle, verification, verification_required, assessment, verification_id, recorded_at, epoch, xid, seq)
 cross join lateral (select ${judgmentCase(SQL, PARTS)} as judgment) j
 cross join lateral (select ${reasonCase(SQL, 'j.judgment', PARTS)} as reason) r`;

const COLUMNS: Readonly<Record<string, string>> = {
  tenant_id: 'Whose row it is.',
  subject_type: 'invocation or execution.',
  invocation_id: 'The invocation, or null.',
  execution_id: 'The execution; of an invocation the one it ran in, or null.',
  outcome_id: 'The outcome; null while the subject is open.',
  source_type: 'agent or workflow.',
  source_id: 'The agent_id or workflow_id.',
  source_version: 'SemVer of the definition at start time.',
  domain: 'Domain pack id.',
  correlation_id: 'The business transaction.',
  status: "The outcome's status: what was claimed. Null while the subject is open.",
  lifecycle:
    'Did it end, and was it merged: waiting, pending, running, awaiting_input, stalled, done, merged, failed, stopped or skipped.',
  verification: 'What the latest verification said; pending or skipped when there is none.',
  required: 'Whether it needs a verification.',
  assessment: 'The latest delivery assessment, or null.',
  verification_id: 'The latest verification, or null.',
  judgment: 'Did it succeed: verified or delivered, and nothing else. Derived, never stored.',
  reason: 'Why it is unverified: timed_out, infrastructure or no_result; else null.',
  tag: 'What people are shown when verification has something to say: VFAIL, VTIMEOUT, VINFRA, VNORESULT; else null.',
  gate: 'What a gate does with it: proceed, warn, refuse_override or refuse.',
  counts_as_success: 'Whether it counts as a success.',
  in_success_base: 'Whether it stands in the denominator of a success rate.',
  in_agent_score: 'Whether it says anything about its agent.',
  recorded_at: 'When the outcome was recorded; of an open subject, its start.',
  epoch: 'Position of that row.',
  xid: 'Position of that row.',
  seq: 'Position of that row.',
};

/** The latest evidence of every outcome that has any, a row for each kind of it: the index has it in this order. */
const latestOfAll = (table: string, members: string) => `
        select * from (select distinct on (v.outcome_id, v.tenant_id, v.source_type) v.outcome_id, v.tenant_id, ${members} from public.${table} v
         order by v.outcome_id desc, v.tenant_id desc, v.source_type desc, v.epoch desc, v.seq desc)`;
const EVIDENCE_OF_ALL = [
  latestOfAll(
    'outcome_verifications',
    'v.standing_verification as verification, v.verification_required, null::text as assessment, false as integrated',
  ),
  latestOfAll('delivery_assessments', 'null::text, null::boolean, v.assessment, false'),
  '\n        select v.outcome_id, v.tenant_id, null::text, null::boolean, null::text, true from public.outcome_integrations v',
].join('\n        union all');

/** The facts of a whole history: all evidence is one relation, hashed once. */
const historyFacts = ({ subject, outcomes }: Kind) => `
      select o.tenant_id, o.source_type, o.source_id, o.source_version, o.domain, o.status, o.completion_reason, v.verification,
             coalesce(v.verification_required, o.verification_required) as verification_required, v.assessment, coalesce(v.integrated, false) as integrated,
             ${awaitingUntil(subject)} as awaiting_until, o.recorded_at
        from ${outcomes} o left join evidence v on v.outcome_id = o.outcome_id and v.tenant_id = o.tenant_id`;

/**
 * Grouped by the facts first and judged then: a long history has few different facts, and a CASE that stands within another
 * would be asked of every row, many times.
 */
function counts(): string {
  const source = 'tenant_id, source_type, source_id, source_version, domain';
  const count = (condition: string) => `coalesce(sum(j.n) filter (where ${condition}), 0)::bigint`;
  const judged = (word: string) => count(`j.judgment = ${literal(word)}`);
  return `create function ledger_internal.judgment_counts(of_type text default null, of_source text default null, of_version text default null, of_domain text default null, since timestamptz default null, until timestamptz default null)
returns table (tenant_id uuid, source_type text, source_id text, source_version text, domain text, outcomes bigint, ${JUDGMENTS.map((word) => `${word} bigint`).join(', ')},
  successes bigint, success_base bigint, agent_score_base bigint, claimed bigint, contradicted bigint, hollow bigint, unanswered bigint, partial bigint, blocked bigint, skipped_claims bigint, escalated bigint)
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan set jit = off set work_mem = '64MB' set enable_sort = off as $$
begin
  return query
  with evidence as materialized (
    select e.outcome_id, e.tenant_id, max(e.verification) as verification, bool_or(e.verification_required) as verification_required, max(e.assessment) as assessment, bool_or(e.integrated) as integrated
      from (${EVIDENCE_OF_ALL}) e
     group by 1, 2
  ), grouped as materialized (
    select ${source
      .split(', ')
      .map((column) => `f.${column}`)
      .join(', ')}, f.status, f.completion_reason, f.integrated, f.awaiting_until > statement_timestamp() as awaiting,
           f.verification, f.verification_required, f.assessment, count(*) as n
      from (${KINDS.map(historyFacts).join('\n    union all')}) f
     where (of_type is null or f.source_type = of_type) and (of_source is null or f.source_id = of_source) and (of_version is null or f.source_version = of_version)
       and (of_domain is null or f.domain = of_domain) and (since is null or f.recorded_at >= since) and (until is null or f.recorded_at < until)
     group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
  ), lived as materialized (
    select g.*, ${lifecycleCase(SQL, { status: 'g.status', completionReason: 'g.completion_reason', integrated: 'g.integrated', openRequest: 'g.awaiting' })} as lifecycle,
           coalesce(g.verification, case when g.verification_required then 'pending' else 'skipped' end) as said
      from grouped g
  ), judged as materialized (
    select s.*, ${judgmentCase(SQL, { ...PARTS, verification: 's.said' })} as judgment from lived s
  )
  select ${source
    .split(', ')
    .map((column) => `j.${column}`)
    .join(', ')}, sum(j.n)::bigint,
         ${JUDGMENTS.map(judged).join(',\n         ')},
         ${count(consequenceCase(SQL, 'counts_as_success', 'j.judgment'))}, ${count(consequenceCase(SQL, 'in_success_base', 'j.judgment'))}, ${count(consequenceCase(SQL, 'in_agent_score', 'j.judgment'))},
         ${count("j.status = 'success'")}, ${count("j.status = 'success' and j.judgment = 'broken'")}, ${count("j.status = 'success' and j.judgment = 'failed'")},
         ${count("j.status = 'success' and j.judgment = 'unverified'")}, ${(['partial', 'blocked', 'skipped', 'escalated'] as const).map((status) => count(`j.status = '${status}'`)).join(', ')}
    from judged j
   group by 1, 2, 3, 4, 5;
end
$$;
comment on function ledger_internal.judgment_counts(text, text, text, text, timestamptz, timestamptz) is 'How outcomes are judged, counted by source, version and domain, as far as the caller reads them. claimed: status success; contradicted: of those, what verification says no to.';
`;
}

export function judgmentsChapter(): GeneratedFile {
  const text = `-- Chapter: judgments. GENERATED from src/contract/judgment by \`npm run generate\`; do not edit.
--
-- One row for each outcome and each open subject. The judgment stands nowhere: it is derived from what the ledger holds, with
-- the reader's rights, each time somebody asks.

create function ledger_internal.judgment_of(lifecycle text, verification text, required boolean, assessment text,
  out judgment text, out reason text, out tag text, out gate text, out counts_as_success boolean, out in_success_base boolean, out in_agent_score boolean)
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  judgment := ${judgmentCase(SQL, WORDS)};
  reason := ${reasonCase(SQL, 'judgment', WORDS)};
  tag := ${tagCase(SQL, 'judgment', 'reason')};
  gate := ${consequenceCase(SQL, 'gate', 'judgment')};
  counts_as_success := ${consequenceCase(SQL, 'counts_as_success', 'judgment')};
  in_success_base := ${consequenceCase(SQL, 'in_success_base', 'judgment')};
  in_agent_score := ${consequenceCase(SQL, 'in_agent_score', 'judgment')};
end
$$;
comment on function ledger_internal.judgment_of(text, text, boolean, text) is 'The judgment of a lifecycle, a verification, whether one is required, and a delivery assessment (or null), with all that follows from it.';

create view ledger_internal.outcome_facts with (security_invoker = on) as${KINDS.map(facts).join('\nunion all')};
revoke all on ledger_internal.outcome_facts from public, anon, authenticated, service_role;
grant select on ledger_internal.outcome_facts to authenticated, service_role, ledger_auditor, ledger_sync, ledger_relay;
comment on view ledger_internal.outcome_facts is 'Every outcome with the facts that its judgment rests on; the mirror carries them into the graph.';

create view public.outcome_judgments with (security_invoker = on) as
${judged([ended, ...KINDS.map((kind) => open(kind))].join('\n    union all'))};
comment on view public.outcome_judgments is 'The judgment of every outcome and every open subject: the one column that may be asked whether it succeeded.';
${Object.entries(COLUMNS)
  .map(([column, meaning]) => `comment on column public.outcome_judgments.${column} is ${literal(meaning)};`)
  .join('\n')}
-- One open subject, without reading all that is open.
create function ledger_internal.open_judgment(kind text, id uuid) returns setof public.outcome_judgments
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if kind = 'invocation' then
    return query
${judged(open(KINDS[0] as Kind, ', id'))};
  else
    return query
${judged(open(KINDS[1] as Kind, ', id'))};
  end if;
end
$$;
comment on function ledger_internal.open_judgment(text, uuid) is 'The judgment of one open invocation or execution, as outcome_judgments has it.';

${counts()}
revoke all on public.outcome_judgments from public, anon, authenticated, service_role;
grant select on public.outcome_judgments to authenticated, service_role, ledger_auditor;
`;
  return { path: 'supabase/migrations/20261130001960_judgments.sql', text };
}
