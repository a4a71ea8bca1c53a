-- What an acquirer paid out, by its own reports: a payout of each, and its lines. Amounts are minor units, with the fractions that some
-- vendors charge; their sums come out even.

create table payouts (
  merchant_id    text not null,
  payout_id      text not null,
  connection_id  text not null,
  -- The vendor's own account, where it counts payouts by it; else empty.
  account        text not null,
  vendor_id      text not null,
  mode           text not null check (mode in ('test', 'live')),
  currency       text not null,
  gross          numeric not null default 0,
  fee            numeric not null default 0,
  line_count     integer not null default 0,
  finding_count  integer not null default 0,
  paid_on        date,
  -- What the report itself says that was paid; null where it does not say it.
  paid_amount    numeric,
  created_at     timestamptz not null,
  primary key (merchant_id, payout_id),
  unique (merchant_id, connection_id, account, vendor_id, currency)
);
create index payouts_by_time on payouts (merchant_id, mode, created_at desc, payout_id desc);
create index payouts_by_day on payouts (merchant_id, mode, paid_on);

-- On a cluster whose tables are spread already; one that is spread later does it by cells/citus.sql.
do $$
declare is_spread boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select 1 from pg_dist_partition where logicalrelid = to_regclass(''sessions''))' into is_spread;
  end if;
  if is_spread then
    execute 'select create_distributed_table(''payouts'', ''merchant_id'', colocate_with => ''sessions'')';
  end if;
end $$;
