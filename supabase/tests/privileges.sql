-- Who was granted what, exactly: on every table, every column, every sequence and schema. What is not listed here is
-- not granted, and the owner's own rights are the only ones left out.
\ir support/begin.psql
select plan(8);

create temporary view ours as
select c.oid, c.relkind, format('%I.%I', c.relnamespace::regnamespace, c.relname) as name, c.relname, c.relowner, c.relacl
  from pg_class c where c.relnamespace in ('public'::regnamespace, 'ledger_internal'::regnamespace) and c.relkind in ('r', 'p', 'v', 'm', 'S');

create temporary view granted as
select o.name collate "C" as name, case when x.grantee = 0 then 'public' else x.grantee::regrole::text end collate "C" as role,
       string_agg(lower(x.privilege_type), ', ' order by x.privilege_type) collate "C" as privileges
  from ours o
 cross join lateral aclexplode(coalesce(o.relacl, acldefault(case o.relkind when 'S' then 's' else 'r' end::"char", o.relowner))) x
 where x.grantee <> o.relowner
 group by 1, 2;

create temporary table expected (name text collate "C", role text collate "C", privileges text collate "C");
-- Whoever may read the ledger reads all of it, within what row-level security shows; service_role reads and no more.
insert into expected
select 'public.' || t.name, r.role, 'select'
  from (select name from ledger_tables union all values ('tenants'), ('epochs')) t
 cross join (values ('authenticated'), ('service_role'), ('ledger_auditor'), ('ledger_sync'), ('ledger_sweep'), ('ledger_relay'), ('ledger_seal')) as r (role);
-- The views of executions by their phases and of judgments show what their reader may read.
insert into expected
select 'public.' || v.name, r.role, 'select'
  from (values ('execution_attempts'), ('execution_phases'), ('execution_results'), ('phase_failure_rates'), ('outcome_judgments')) v (name)
 cross join (values ('authenticated'), ('service_role'), ('ledger_auditor')) r (role);
insert into expected values
  ('public.retention_policies', 'authenticated', 'select'),
  ('public.retention_policies', 'service_role', 'select'),
  ('public.retention_policies', 'ledger_auditor', 'select'),
  ('public.retention_policies', 'ledger_retention', 'select'),
  ('public.tombstones', 'ledger_retention', 'insert, select'),
  ('ledger_internal.feed_seq', 'ledger_retention', 'usage'),
  ('ledger_internal.sync_quarantine', 'ledger_sync', 'delete, insert, select, update');
-- What retention may delete. Starts, decisions and minted ids are not among it.
insert into expected
select 'public.' || t.name, 'ledger_retention', 'delete, select'
  from (values ('agent_tool_calls'), ('os_events'), ('late_outcomes'), ('artifacts'), ('agent_lineage_links'), ('agent_invocation_outcomes'), ('workflow_outcomes')) as t (name);

select set_eq(
  $$ select name, role, privileges from granted where name not in (select format('ledger_internal.%I', relname) from ours where relkind = 'v') $$,
  $$ select name, role, privileges from expected $$,
  'tables and sequences are granted exactly as listed');

select is_empty(
  $$ select * from granted where role in ('anon', 'public') $$,
  'anon and the public hold nothing');

select is_empty(
  $$ select o.name, a.attname, x.grantee::regrole, x.privilege_type
       from ours o join pg_attribute a on a.attrelid = o.oid cross join lateral aclexplode(a.attacl) x
      where not (x.privilege_type = 'INSERT' and x.grantee = 'authenticated'::regrole) $$,
  'the only column grants are the tenants'' inserts');

select set_eq(
  $$ select o.relname::text collate "C", string_agg(a.attname::text, ', ' order by a.attname::text collate "C") collate "C"
       from ours o join pg_attribute a on a.attrelid = o.oid cross join lateral aclexplode(a.attacl) x
      where x.privilege_type = 'INSERT' and x.grantee = 'authenticated'::regrole group by 1 $$,
  $$ select t.name collate "C", (select string_agg(c, ', ' order by c collate "C") from unnest(t.columns) c) collate "C" from (values
       ('source_definitions', array['tenant_id', 'source_type', 'source_id', 'version', 'domain', 'governance_class', 'verify',
          'output_schema', 'confidence_schema', 'execution_pattern', 'default_deadline_ms']),
       ('workflow_executions', array['tenant_id', 'execution_id', 'source_id', 'source_version', 'domain', 'governance_class',
          'correlation_id', 'causation_id', 'execution_pattern', 'parent_execution_id', 'resumed_from_execution_id', 'verify',
          'deadline_at', 'traceparent', 'attributes']),
       ('agent_invocations', array['tenant_id', 'invocation_id', 'source_id', 'source_version', 'domain', 'governance_class',
          'correlation_id', 'causation_id', 'execution_id', 'step_id', 'step_name', 'attempt', 'surfaces', 'verify', 'recovery_mode',
          'deadline_at', 'traceparent', 'attributes']),
       ('agent_tool_calls', array['tenant_id', 'invocation_id', 'tool_call_id', 'tool_name', 'status', 'input', 'output', 'error',
          'timing']),
       ('agent_invocation_outcomes', array['tenant_id', 'invocation_id', 'outcome_envelope', 'result_schema_hash', 'confidence_schema_hash']),
       ('workflow_outcomes', array['tenant_id', 'execution_id', 'outcome_envelope', 'result_schema_hash', 'confidence_schema_hash']),
       ('late_outcomes', array['tenant_id', 'invocation_id', 'execution_id', 'outcome_envelope']),
       ('policy_decisions', array['tenant_id', 'invocation_id', 'execution_id', 'decision', 'policy_rule_triggered', 'risk_score',
          'requires_hitl', 'evaluated_at', 'guard_invocation_id', 'evaluation']),
       ('policy_sets', array['tenant_id', 'version', 'policies', 'schema', 'mask', 'note', 'checked_hash']),
       ('hitl_requests', array['tenant_id', 'hitl_request_id', 'invocation_id', 'execution_id', 'outcome_id', 'reason', 'expires_at']),
       ('hitl_resolutions', array['tenant_id', 'hitl_request_id', 'resolution', 'reason']),
       ('phase_reports', array['tenant_id', 'invocation_id', 'report_state', 'claims', 'claims_total', 'stands', 'warnings', 'observation', 'phase_status',
          'failure_classification', 'reported_failure_reason', 'reported_side_effects', 'deliverable_recovered', 'error', 'conclusion_digest']),
       ('artifacts', array['tenant_id', 'artifact_id', 'invocation_id', 'path', 'title', 'type', 'content', 'content_bytes', 'object_key', 'size_bytes',
          'sha256', 'recovered', 'is_primary']),
       ('outcome_verifications', array['tenant_id', 'verification_id', 'outcome_id', 'verification', 'started', 'timed_out', 'system_fault', 'signal',
          'exit_code', 'command', 'duration_ms', 'output_sha256', 'output_bytes', 'output_excerpt', 'resolved_verify']),
       ('delivery_assessments', array['tenant_id', 'assessment_id', 'outcome_id', 'assessment', 'reason']),
       ('outcome_integrations', array['tenant_id', 'outcome_id', 'reference', 'gate_flag', 'gate_reason']),
       ('lifecycle_events', array['tenant_id', 'lifecycle_event_id', 'invocation_id', 'execution_id', 'lifecycle', 'reason']),
       ('os_events', array['tenant_id', 'event_id', 'type', 'source', 'invocation_id', 'correlation_id', 'occurred_at', 'data']),
       ('agent_lineage_links', array['tenant_id', 'source_outcome_id', 'target_outcome_id', 'relation'])
     ) as t (name, columns) $$,
  'tenants may insert these columns and no other');

select is_empty(
  $$ select o.name, c.name from ours o
      cross join (values ('outcome_id'), ('seq'), ('epoch'), ('xid'), ('recorded_at'), ('recorded_by'), ('origin'), ('completion_reason'),
                         ('source_type'), ('status'), ('verification_required')) as c (name)
       join pg_attribute a on a.attrelid = o.oid and a.attname = c.name
      where has_column_privilege('authenticated', o.oid, c.name, 'insert')
        and (o.relname, c.name) not in (('source_definitions', 'source_type'), ('agent_tool_calls', 'status'), ('hitl_requests', 'outcome_id'),
                                        -- The outcome that evidence is about; it must be there.
                                        ('outcome_verifications', 'outcome_id'), ('delivery_assessments', 'outcome_id'), ('outcome_integrations', 'outcome_id')) $$,
  'what the server sets cannot be sent');

select set_eq(
  $$ select n.nspname::text collate "C", x.grantee::regrole::text collate "C", lower(x.privilege_type) collate "C"
       from pg_namespace n cross join lateral aclexplode(n.nspacl) x
      where n.nspname = 'ledger_internal' and x.grantee <> n.nspowner $$,
  $$ select 'ledger_internal' collate "C" as name, r.role collate "C" as role, 'usage' collate "C" as privilege from (values ('authenticated'), ('service_role'), ('ledger_gateway'), ('ledger_sync'), ('ledger_sweep'),
       ('ledger_relay'), ('ledger_seal'), ('ledger_auditor'), ('ledger_retention')) as r (role) $$,
  'schema ledger_internal may be named by these roles, and nobody makes anything in it');

select is_empty(
  $$ select n.nspname, x.grantee::regrole from pg_namespace n cross join lateral aclexplode(n.nspacl) x
      where n.nspname = 'public' and x.privilege_type = 'CREATE'
        and x.grantee in (select oid from pg_roles where rolname like 'ledger\_%' or rolname in ('anon', 'authenticated', 'service_role')) $$,
  'no ledger role and no API role makes anything in schema public');

select set_eq(
  $$ select m.roleid::regrole::text collate "C", m.member::regrole::text collate "C", m.inherit_option, m.set_option from pg_auth_members m
      where (m.member::regrole::text like 'ledger\_%' or m.roleid::regrole::text like 'ledger\_%') and (m.inherit_option or m.set_option) $$,
  $$ values ('authenticated'::text collate "C", 'ledger_gateway'::text collate "C", false, true) $$,
  'the gateway can become authenticated; no other membership lets a role use or become another');

select * from finish();
rollback;
