-- Refunds: what was captured is given back, whole or in parts, and sometimes known only days later.

-- 1. Payments: who refunds locks the payment's row and counts the amount here, so that the sum never exceeds the capture.

-- contract: the release before leaves both columns at zero, which the constraint allows
alter table payments
  -- The sum of all refunds that did not fail.
  add column refunded_amount  bigint not null default 0,
  -- All of them, failed ones too; gives the next its sequence.
  add column refund_count     integer not null default 0,
  add constraint payments_refunded_amount_check
    check (refunded_amount between 0 and case status when 'captured' then amount else 0 end) not valid;

-- 2. Refunds: each with one operation at the acquirer.

create table refunds (
  merchant_id   text not null,
  refund_id     text not null,
  payment_id    text not null,
  session_id    text not null,
  -- Counts the refunds of the payment.
  sequence      integer not null check (sequence > 0),
  operation_id  text collate "C" not null,
  mode          text not null check (mode in ('test', 'live')),
  amount        bigint not null check (amount > 0),
  currency      text not null,
  status        text not null check (status in ('pending', 'succeeded', 'failed')),
  -- The merchant's own words.
  reason        text,
  -- Kept for clients of the compatible routes.
  metadata      json not null,
  failure       json,
  created_at    timestamptz not null,
  -- When the status became what it is; later than the success where a refund failed after it.
  settled_at    timestamptz,
  primary key (merchant_id, refund_id),
  unique (merchant_id, payment_id, sequence),
  unique (merchant_id, operation_id),
  foreign key (merchant_id, payment_id) references payments,
  foreign key (merchant_id, operation_id) references acquirer_operations,
  check ((status = 'pending') = (settled_at is null)),
  check ((status = 'failed') = (failure is not null))
);

-- 3. Events: of a refund, too. `payment_id` is then the refund's id. So a refund has events of sequence 1 and 2 of its own, and
-- the release before sends and signs them under the right key.

-- contract: the lists are longer by what only the new release writes, and a refund's id refers to no payment
alter table events
  drop constraint events_type_check,
  add constraint events_type_check check (type in ('payment.captured', 'payment.held', 'payment.voided',
    'payment.declined', 'payment.failed', 'refund.succeeded', 'refund.failed')) not valid,
  drop constraint events_merchant_id_payment_id_fkey,
  add constraint events_subject_check check ((type like 'refund.%') = (payment_id like 'ref\_%')) not valid;

-- 4. Endpoints: the events beyond the specification's five that were asked for. Null where the member was not sent.

alter table webhook_endpoints add column extension_events text[];
