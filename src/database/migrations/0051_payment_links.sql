-- Links that a merchant sends to shoppers. Whoever opens one gets a session of its own, so how often it was paid is what its sessions say.

create table payment_links (
  merchant_id      text not null,
  payment_link_id  text not null,
  -- The random bytes in its address, as hex.
  proof            text not null,
  mode             text not null check (mode in ('test', 'live')),
  amount           bigint not null check (amount > 0),
  currency         text not null,
  items            json,
  order_reference  text,
  description      text,
  -- How many payments it takes at most; null for any number.
  max_payments     integer check (max_payments > 0),
  created_at       timestamptz not null,
  expires_at       timestamptz,
  disabled_at      timestamptz,
  primary key (merchant_id, payment_link_id)
);
create index payment_links_by_time on payment_links (merchant_id, created_at, payment_link_id);

-- On a cluster whose tables are spread already; one that is spread later does it by cells/citus.sql.
do $$
declare is_spread boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select 1 from pg_dist_partition where logicalrelid = to_regclass(''sessions''))' into is_spread;
  end if;
  if is_spread then
    execute 'select create_distributed_table(''payment_links'', ''merchant_id'', colocate_with => ''sessions'')';
  end if;
end $$;
