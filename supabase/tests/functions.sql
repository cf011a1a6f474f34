-- Functions: a fixed search path for every one, invoker rights for the exposed ones, and no definer function that anon
-- or just anyone may call.
\ir support/begin.psql

create temporary view ours as
select p.oid, p.oid::regprocedure::text as signature, p.proname::text as name, p.pronamespace::regnamespace::text as schema, p.prosecdef,
       p.proconfig, p.provolatile, p.prorettype
  from pg_proc p
 where p.pronamespace in ('public'::regnamespace, 'ledger_internal'::regnamespace)
   and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');

select plan(12);

select is_empty(
  $$ select signature from ours where not coalesce(proconfig, '{}') && array['search_path=pg_catalog, pg_temp'] $$,
  'every function looks for names in pg_catalog, and in pg_temp only after it');

select is_empty(
  $$ select signature from ours where schema = 'public' and prosecdef $$,
  'no exposed function has its definer''s rights');

select is_empty(
  $$ select signature from ours where has_function_privilege('anon', oid, 'execute') $$,
  'anon may call nothing');

select is_empty(
  $$ select o.signature from ours o join pg_proc p on p.oid = o.oid
      cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x where x.grantee = 0 $$,
  'nothing is callable by everyone');

select is_empty(
  $$ select signature from ours where prosecdef and has_function_privilege('service_role', oid, 'execute')
        and name not in ('caller', 'epoch_settled', 'latest_epoch', 'ledger_id', 'feed_holders', 'open_subjects') $$,
  'service_role may call no definer function but those that tell who calls, how the ledger is, and what is open');

select set_eq(
  $$ select name from ours where prosecdef and has_function_privilege('authenticated', oid, 'execute')
        and prorettype <> 'trigger'::regtype $$,
  $$ values ('caller'), ('beat'), ('record_ordinary'), ('open_work_of_tenant'), ('gaps_of_token'), ('new_sources'), ('epoch_settled'), ('latest_epoch'),
            ('ledger_id'), ('feed_holders'),
            ('dead_letters_of_token'), ('keep_webhook'), ('put_back_dead_letters'), ('rotate_webhook_secret'), ('switch_webhook'), ('webhook_of_token'), ('webhooks_of_token'), ('cancel'), ('announce_gate'), ('open_subjects'), ('open_requests_of_tenant'), ('subject_of_token') $$,
  'tenants may call these definer functions and no other');

select is_empty(
  $$ select signature from ours join pg_proc p using (oid) where ours.prosecdef and has_function_privilege('authenticated', oid, 'execute')
        and p.proname <> 'caller' and (coalesce(p.proargnames, '{}') && array['tenant', 'tenant_id', 'of_tenant'] or p.prosrc ~ 'session_user') $$,
  'none of them lets its caller name a tenant');

select is_empty(
  $$ select signature from ours where prorettype = 'trigger'::regtype and has_function_privilege('authenticated', oid, 'execute') $$,
  'tenants cannot call a trigger function');

select is_empty(
  $$ select w.name from (values
       ('start_invocation'), ('start_invocations'), ('start_execution'), ('start_executions'), ('record_tool_call'),
       ('record_tool_calls'), ('heartbeat'), ('heartbeats'), ('record_agent_outcome'), ('record_workflow_outcome'),
       ('record_outcomes'), ('record_policy_decision'), ('record_policy_decisions'), ('register_event'), ('register_events'),
       ('declare_link'), ('declare_links'), ('put_source_definition'), ('put_source_definitions'), ('get_invocation'),
       ('get_execution'), ('get_outcome'), ('get_event'), ('get_source_definition'), ('list_invocations'), ('list_executions'),
       ('list_outcomes'), ('list_events'), ('lineage_why'), ('lineage_impact'), ('lineage_correlation'), ('lineage_gaps'),
       ('lineage_path'), ('lineage_governed'), ('lineage_root_causes'), ('lineage_broken_impact'), ('lineage_document'), ('lineage_correlation_document'), ('lineage_gaps_document'), ('ledger_health'), ('register_webhook'),
       ('conclude_invocation'), ('get_artifact'), ('begin_conclusion'), ('list_inputs'), ('failure_rates'),
       ('rotate_webhook'), ('enable_webhook'), ('disable_webhook'), ('get_webhook'), ('list_webhooks'), ('list_webhook_dead_letters'),
       ('redeliver_webhook'), ('put_policy_set'), ('get_policy_set'), ('list_policy_sets'), ('policy_subject'), ('record_evaluation'), ('open_hitl_request'),
       ('resolve_hitl_request'), ('get_hitl_request'), ('list_hitl_requests'), ('cancel_invocation'), ('cancel_execution'),
       ('record_verification'), ('assess_delivery'), ('record_integration'), ('record_lifecycle'), ('pass_gate'), ('get_judgment'), ('list_judgments'), ('judgment_statistics')) as w (name)
      where not exists (select from ours o where o.schema = 'public' and o.name = w.name
                           and has_function_privilege('authenticated', o.oid, 'execute')) $$,
  'every exposed function is there, and tenants may call it');

select set_eq(
  $$ select o.name, r.role from ours o
      cross join (values ('authenticated'), ('service_role'), ('ledger_gateway'), ('ledger_auditor'), ('ledger_sync'), ('ledger_sweep'), ('ledger_relay'), ('ledger_seal')) as r (role)
      where o.name in ('feed', 'feed_lag') and has_function_privilege(r.role, o.oid, 'execute') $$,
  $$ select f.name, r.role from (values ('feed'), ('feed_lag')) as f (name) cross join (values ('ledger_sync'), ('ledger_relay'), ('ledger_seal')) as r (role) $$,
  'the feed and its lag are the workers'' that read it');

select is(
  (select array_agg(distinct o.name) from ours o where o.prosecdef and o.name ~ 'purge' and (
     has_function_privilege('authenticated', o.oid, 'execute') or has_function_privilege('service_role', o.oid, 'execute')
     or has_function_privilege('ledger_sweep', o.oid, 'execute'))),
  null, 'the purge function is its owner''s and the schema owner''s alone');

select results_eq(
  $$ select rolname::text collate "C", rolcanlogin, (select count(*)::int from pg_auth_members m where m.roleid = r.oid and (m.inherit_option or m.set_option))
       from pg_roles r where rolname = 'ledger_retention' $$,
  $$ values ('ledger_retention'::text collate "C", false, 0) $$,
  'nobody can be ledger_retention');

select * from finish();
rollback;
