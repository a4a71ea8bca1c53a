-- What shoppers dispute at their banks, as acquirers tell of it. A dispute is known by the acquirer's own id.

create table disputes (
  merchant_id   text not null,
  dispute_id    text not null,
  payment_id    text not null,
  session_id    text not null,
  mode          text not null check (mode in ('test', 'live')),
  acquirer      text not null,
  vendor_id     text not null,
  status        text not null check (status in ('needs_response', 'under_review', 'won', 'lost', 'closed')),
  -- 2 after a second chargeback: what is told of the first is over then.
  round         integer not null check (round in (1, 2)),
  reason        text,
  amount        bigint not null check (amount > 0),
  currency      text not null,
  respond_by    timestamptz,
  opened_at     timestamptz not null,
  closed_at     timestamptz,
  vendor_url    text,
  -- The acquirer's time of the newest news that counted.
  told_at       timestamptz not null,
  -- How many events told of it; gives the next its sequence.
  event_count   integer not null,
  primary key (merchant_id, dispute_id),
  unique (merchant_id, acquirer, vendor_id),
  foreign key (merchant_id, payment_id) references payments,
  check ((closed_at is null) = (status in ('needs_response', 'under_review')))
);
create index disputes_of_payment on disputes (merchant_id, payment_id);
create index disputes_by_time on disputes (merchant_id, opened_at, dispute_id);
create index disputes_open on disputes (merchant_id, respond_by, dispute_id) where closed_at is null;

-- On a cluster whose tables are spread already; one that is spread later does it by cells/citus.sql.
do $$
declare is_spread boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select 1 from pg_dist_partition where logicalrelid = to_regclass(''sessions''))' into is_spread;
  end if;
  if is_spread then
    execute 'select create_distributed_table(''disputes'', ''merchant_id'', colocate_with => ''sessions'')';
  end if;
end $$;

-- Events of disputes. A dispute that is reopened is told again, so it may have more than two.
-- contract: the new CHECK, which stands a statement further down, is looser. Citus wants each by itself.
alter table events drop constraint events_type_check;
-- contract: the release before writes none of the new types and goes on. The rows that are there keep to it already.
alter table events add constraint events_type_check check (type in (
    'payment.captured', 'payment.held', 'payment.voided', 'payment.declined', 'payment.failed',
    'refund.succeeded', 'refund.failed', 'dispute.opened', 'dispute.closed',
    'payment_intent.canceled', 'checkout.session.completed', 'checkout.session.expired',
    'checkout.session.async_payment_succeeded', 'checkout.session.async_payment_failed')) not valid;
-- contract: the new CHECK, which stands in the next statement, is looser.
alter table events drop constraint events_sequence_check;
-- contract: the release before writes 1 and 2 alone and goes on. The rows that are there keep to it already.
alter table events add constraint events_sequence_check
  check (sequence in (1, 2) or (sequence > 2 and type like 'dispute.%')) not valid;
