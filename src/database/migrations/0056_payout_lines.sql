-- The lines of payouts, and the pieces in which a page sends a report. A line is known by the vendor's own ids, so that a report
-- that is read twice adds nothing.

create table payout_lines (
  merchant_id        text not null,
  payout_id          text not null,
  line_key           text collate "C" not null,
  -- Where it stood in the file.
  line               integer not null,
  transaction_id     text not null,
  -- The vendor's word for what it is, and ours.
  type               text not null,
  kind               text not null check (kind in ('payment', 'refund', 'dispute', 'fee', 'other')),
  gross              numeric not null,
  fee                numeric not null,
  -- What the shopper saw, where the report says it, and how many units of the payout's currency one of the shopper's is.
  customer_amount    numeric,
  customer_currency  text,
  exchange_rate      numeric,
  payment_id         text,
  refund_id          text,
  -- Why nobody can rely on it; null where all fits.
  finding            text,
  primary key (merchant_id, payout_id, line_key),
  foreign key (merchant_id, payout_id) references payouts
);
create index payout_lines_by_payment on payout_lines (merchant_id, payment_id) where payment_id is not null;
create index payout_lines_with_findings on payout_lines (merchant_id, payout_id, line) where finding is not null;

-- Gone once the report is read, else after an hour.
create unlogged table payout_pieces (
  merchant_id  text not null,
  user_id      text not null,
  upload_id    text not null,
  piece        integer not null check (piece between 0 and 255),
  bytes        bytea not null,
  at           timestamptz not null,
  primary key (merchant_id, user_id, upload_id, piece)
);
create index payout_pieces_by_time on payout_pieces (at);

-- On a cluster whose tables are spread already; one that is spread later does it by cells/citus.sql.
do $$
declare is_spread boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select 1 from pg_dist_partition where logicalrelid = to_regclass(''sessions''))' into is_spread;
  end if;
  if is_spread then
    execute 'select create_distributed_table(''payout_lines'', ''merchant_id'', colocate_with => ''sessions'')';
    execute 'select create_distributed_table(''payout_pieces'', ''merchant_id'', colocate_with => ''sessions'')';
  end if;
end $$;
