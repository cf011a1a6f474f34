-- The schema as text, one line for each fact, in an order of its own: two databases with the same lines have the same
-- schema. It stands in for `pg_dump --schema-only`, and also holds what a dump leaves to the cluster (our roles).
-- What the migrations tool keeps about itself (supabase_migrations) and what the platform brings are left out.
with
ours as (
  select n.oid, n.nspname, n.nspowner, n.nspacl from pg_namespace n where n.nspname in ('public', 'ledger_internal')
),
members as (
  select c.oid, c.relname, c.relkind, c.relowner, c.relacl, c.relrowsecurity, c.relforcerowsecurity, c.relpersistence,
         c.reloptions, n.nspname, format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join ours n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p', 'v', 'm', 'S')
),
routines as (
  select p.*, format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as name
    from pg_proc p join ours n on n.oid = p.pronamespace
   where p.prokind in ('f', 'p')
     and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
),
-- Grants with their defaults spelled out, so that "never touched" and "granted what it had" read alike.
grants as (
  select 'schema ' || n.nspname as name, coalesce(n.nspacl, acldefault('n', n.nspowner)) as acl from ours n
  union all
  select 'relation ' || m.name, coalesce(m.relacl, acldefault(case m.relkind when 'S' then 's' else 'r' end::"char", m.relowner)) from members m
  union all
  select format('column %s.%I', m.name, a.attname), a.attacl
    from members m join pg_attribute a on a.attrelid = m.oid and a.attnum > 0 and not a.attisdropped and a.attacl is not null
  union all
  select 'function ' || r.name, coalesce(r.proacl, acldefault('f', r.proowner)) from routines r
),
lines as (
  select format('schema %I owner %s', nspname, nspowner::regrole) as line from ours
  union all
  select format('relation %s kind %s owner %s persistence %s row security %s forced %s options %s', name, relkind,
                relowner::regrole, relpersistence, relrowsecurity, relforcerowsecurity, reloptions)
    from members
  union all
  select format('column %s.%I position %s type %s not null %s identity %s generated %s default %s collation %s', m.name, a.attname,
                (select count(*) from pg_attribute b where b.attrelid = a.attrelid and b.attnum between 1 and a.attnum and not b.attisdropped),
                format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid),
                nullif(a.attcollation, 0)::regcollation)
    from members m
    join pg_attribute a on a.attrelid = m.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where m.relkind <> 'S'
  union all
  select format('view %s as %s', m.name, pg_get_viewdef(m.oid)) from members m where m.relkind in ('v', 'm')
  union all
  select format('sequence %s type %s start %s by %s from %s to %s cycle %s cache %s', m.name, s.seqtypid::regtype, s.seqstart,
                s.seqincrement, s.seqmin, s.seqmax, s.seqcycle, s.seqcache)
    from members m join pg_sequence s on s.seqrelid = m.oid
  union all
  select format('constraint %I on %s validated %s: %s', c.conname, m.name, c.convalidated, pg_get_constraintdef(c.oid))
    from pg_constraint c join members m on m.oid = c.conrelid
  union all
  select format('index %s: %s', i.indexrelid::regclass, pg_get_indexdef(i.indexrelid)) from pg_index i join members m on m.oid = i.indrelid
  union all
  select format('policy %I on %s for %s permissive %s to %s using %s check %s', p.polname, m.name, p.polcmd, p.polpermissive,
                (select string_agg(case when r = 0 then 'public' else r::regrole::text end, ', ' order by r::regrole::text) from unnest(p.polroles) r),
                pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
    from pg_policy p join members m on m.oid = p.polrelid
  union all
  select format('trigger %s enabled %s: %s', t.tgname, t.tgenabled, pg_get_triggerdef(t.oid))
    from pg_trigger t join members m on m.oid = t.tgrelid where not t.tgisinternal
  union all
  select format('function %s owner %s: %s', r.name, r.proowner::regrole, pg_get_functiondef(r.oid)) from routines r
  union all
  select format('type %I.%I kind %s labels %s', n.nspname, t.typname, t.typtype,
                (select array_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid))
    from pg_type t join ours n on n.oid = t.typnamespace where t.typtype in ('e', 'd', 'r')
  union all
  select format('grant on %s: %s may %s%s, from %s', g.name, case when x.grantee = 0 then 'public' else x.grantee::regrole::text end,
                x.privilege_type, case when x.is_grantable then ' and grant it' else '' end, x.grantor::regrole)
    from grants g cross join lateral aclexplode(g.acl) x
  union all
  select format('comment on %s: %s', pg_describe_object(d.classoid, d.objoid, d.objsubid), d.description)
    from pg_description d
   where (d.classoid = 'pg_namespace'::regclass and d.objoid in (select oid from ours))
      or (d.classoid = 'pg_class'::regclass and d.objoid in (select oid from members))
      or (d.classoid = 'pg_proc'::regclass and d.objoid in (select oid from routines))
      or (d.classoid = 'pg_policy'::regclass and d.objoid in (select p.oid from pg_policy p join members m on m.oid = p.polrelid))
      or (d.classoid = 'pg_constraint'::regclass and d.objoid in (select c.oid from pg_constraint c join members m on m.oid = c.conrelid))
      or (d.classoid = 'pg_trigger'::regclass and d.objoid in (select t.oid from pg_trigger t join members m on m.oid = t.tgrelid))
      or (d.classoid = 'pg_class'::regclass and d.objoid in (select i.indexrelid from pg_index i join members m on m.oid = i.indrelid))
  union all
  select format('role %I inherit %s createrole %s createdb %s superuser %s bypassrls %s settings %s', r.rolname, r.rolinherit, r.rolcreaterole,
                r.rolcreatedb, r.rolsuper, r.rolbypassrls, r.rolconfig)
    from pg_roles r where r.rolname like 'ledger\_%'
  union all
  select format('member %s of %s admin %s inherit %s set %s, from %s', m.member::regrole, m.roleid::regrole, m.admin_option,
                m.inherit_option, m.set_option, m.grantor::regrole)
    from pg_auth_members m
   where m.member::regrole::text like 'ledger\_%' or m.roleid::regrole::text like 'ledger\_%'
)
select line from lines order by line collate "C"
