-- Data for a development project, laid by `supabase start` and `supabase db reset`, never by `db push`: one open
-- tenant, whose agents need no definition before they start (what is undefined shows up in `lineage_gaps`).
insert into public.tenants (tenant_id, name, open)
values ('00000000-0000-4000-8000-000000000001', 'development', true)
on conflict (tenant_id) do nothing;
