-- Filters of the dashboard's lists that a person keeps for themselves, each by a name. A person has a bounded number of places a list.

create table saved_filters (
  merchant_id  text not null,
  user_id      text not null,
  list         text not null check (list in ('payments', 'holds', 'refunds', 'sessions', 'deliveries')),
  place        integer not null check (place between 1 and 20),
  name         text not null,
  -- The query of the list's address.
  filters      text not null,
  primary key (merchant_id, user_id, list, place),
  unique (merchant_id, user_id, list, name),
  foreign key (merchant_id, user_id) references memberships on delete cascade
);

-- On a cluster whose tables are spread already; one that is spread later does it by cells/citus.sql.
do $$
declare is_spread boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select 1 from pg_dist_partition where logicalrelid = to_regclass(''sessions''))' into is_spread;
  end if;
  if is_spread then
    execute 'select create_reference_table(''saved_filters'')';
  end if;
end $$;
