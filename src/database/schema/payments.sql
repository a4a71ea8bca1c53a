-- Payments, every call to an acquirer about them, what was given back, holds, and the events that tell of it.

create table payments (
  merchant_id              text not null,
  payment_id               text not null,
  session_id               text not null,
  attempt_id               text not null,
  status                   text not null
    check (status in ('pending', 'captured', 'held', 'voided', 'declined', 'failed')),
  capture_state            text check (capture_state in ('captured', 'authorised', 'voided')),
  amount                   bigint not null check (amount > 0),
  currency                 text not null,
  mode                     text not null check (mode in ('test', 'live')),
  decline                  json,
  authentication           json,
  acquirer                 text,
  acquirer_transaction_id  text,
  amount_verified          boolean not null,
  order_reference          text,
  -- In lower case, as of when the charge began.
  customer_email           text collate "C",
  -- Of the card that was charged.
  card_brand               text,
  card_last4               text collate "C",
  -- The sum of all refunds that did not fail. Who refunds locks the row and counts here, so that it never exceeds the capture.
  refunded_amount          bigint not null default 0,
  -- All of them, failed ones too; gives the next its sequence.
  refund_count             integer not null default 0,
  created_at               timestamptz not null,
  executed_at              timestamptz,
  primary key (merchant_id, payment_id),
  unique (merchant_id, attempt_id),
  foreign key (merchant_id, session_id) references sessions,
  check ((status in ('declined', 'failed')) = (decline is not null)),
  check ((status = 'captured') = (executed_at is not null)),
  check (case status
    when 'captured' then capture_state = 'captured'
    when 'held' then capture_state = 'authorised'
    when 'voided' then capture_state = 'voided'
    else capture_state is null end),
  constraint payments_refunded_amount_check
    check (refunded_amount between 0 and case status when 'captured' then amount else 0 end)
);
-- The database's own word on "one live payment a session": whatever the code does, a second one cannot be written.
create unique index one_live_payment on payments (merchant_id, session_id)
  where status in ('pending', 'captured', 'held');

-- Lists, newest first, that stay fast however many payments there are. A page goes along one index from where the last ended.
create index payments_by_time on payments (merchant_id, mode, created_at desc, payment_id desc);
-- A statement must name the status as a constant, since plans are made for every value of a parameter.
create index payments_unhappy on payments (merchant_id, mode, status, created_at desc, payment_id desc)
  where status <> 'captured';
create index payments_by_email on payments (merchant_id, mode, customer_email, created_at desc, payment_id desc)
  where customer_email is not null;
create index payments_by_last4 on payments (merchant_id, mode, card_last4, created_at desc, payment_id desc)
  where card_last4 is not null;
-- What a dispute quotes.
create index payments_by_transaction on payments (merchant_id, acquirer_transaction_id)
  where acquirer_transaction_id is not null;
-- Of every status, and by how a reference begins, whatever the database's language.
create index payments_by_reference
  on payments (merchant_id, mode, order_reference text_pattern_ops, created_at desc, payment_id desc)
  where order_reference is not null;
-- Empty, because every payment is written with its card. Two look here for others: releases before 0.1.0, which run beside this one,
-- and the comparison that adopts their database. It can go with both of them.
create index payments_to_fill on payments (merchant_id, payment_id) where card_brand is null;

-- Every call to an acquirer, written before it is made. operation_id is our reference at the acquirer.
create table acquirer_operations (
  merchant_id              text not null,
  operation_id             text collate "C" not null,
  payment_id               text not null,
  kind                     text not null check (kind in ('authorise', 'capture', 'void', 'reverse', 'refund')),
  sequence                 integer not null check (sequence > 0),
  acquirer                 text not null,
  amount                   bigint not null,
  currency                 text not null,
  -- Of a capture or void: who decided.
  asked_by                 text check (asked_by in ('merchant', 'rules')),
  -- Of a decision or refund that came by the API: its idempotency key, by which a retry finds it, and whose that key is.
  idempotency_key          text,
  -- Keys that are for tests alone have an audience of their own. Null in rows that were written before this column.
  idempotency_audience     text,
  -- Of a charge in live mode: what a decline that is learned later is counted against.
  payer                    json,
  -- `reversing`: an authorisation that was not found is being taken back, and can only end as failed.
  -- `accepted`: the acquirer has taken it, and carries it out or refuses it later. It is never sent again.
  state                    text not null check (state in
    ('sent', 'unknown', 'reversing', 'accepted', 'approved', 'declined', 'failed', 'refused', 'not_sent')),
  sent_at                  timestamptz not null,
  -- Later than sent_at where it had not arrived and was sent again.
  last_sent_at             timestamptz not null,
  -- Without an answer by then the outcome counts as unknown, whatever became of the process that called.
  answer_by                timestamptz not null,
  -- The acquirer's own name of an authorisation, stored before the charge was sent.
  handle                   text,
  acquirer_transaction_id  text,
  answer                   json,
  answered_at              timestamptz,
  -- The search for a missing answer.
  checks                   integer not null default 0,
  next_check_at            timestamptz,
  -- Looks, one after the other, that did not find it although it had had the time to arrive.
  not_found_count          integer not null default 0,
  -- Since when a person has to find out what became of it. Nothing looks for it any more.
  waits_for_person_since   timestamptz,
  primary key (merchant_id, operation_id),
  unique (merchant_id, payment_id, kind, sequence),
  foreign key (merchant_id, payment_id) references payments,
  check (state <> 'reversing' or kind = 'authorise'),
  constraint acquirer_operations_check2 check ((kind in ('capture', 'void')) = (asked_by is not null)),
  constraint acquirer_operations_accepted_check check (state <> 'accepted' or kind <> 'authorise'),
  constraint acquirer_operations_next_check_check check (state in ('sent', 'unknown', 'reversing', 'accepted')
    or (next_check_at is null and waits_for_person_since is null))
);
-- At most one capture or void of a payment may be under way or done.
create unique index one_settlement_open on acquirer_operations (merchant_id, payment_id)
  where kind in ('capture', 'void') and state in ('sent', 'unknown', 'accepted', 'approved');
create index operations_open on acquirer_operations (next_check_at)
  where state in ('sent', 'unknown', 'reversing', 'accepted');
-- An acquirer's notice may bear a reference that we have never made, as what somebody does in its portal does: then it is found by
-- the acquirer's own id of the operation or of the authorisation. The handle of an authorisation is its id. The simulated acquirer
-- posts nothing, so its operations need no entry.
create index operations_by_acquirer_id on acquirer_operations
  (merchant_id, (coalesce(handle, acquirer_transaction_id)))
  where coalesce(handle, acquirer_transaction_id) is not null and acquirer <> 'simulator';
-- Charges are compared by when something was recorded of them, however long ago they were made. A charge that was answered within the
-- hour is compared by when it was made: the index has only the few others, and costs a confirm nothing.
create index operations_recorded on acquirer_operations (answered_at)
  where kind in ('capture', 'void', 'reverse') or (kind = 'authorise' and answered_at - sent_at > interval '1 hour');

-- What was captured is given back, whole or in parts, each time by one operation. Sometimes the outcome is known only days later.
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

-- Payments whose amount nobody has verified wait for a decision, by the merchant or by its rules as they were when the hold was made.
create table holds (
  merchant_id        text not null,
  payment_id         text not null,
  status             text not null check (status in ('pending_review', 'escalated', 'captured', 'voided')),
  reason             text not null check (reason in ('no_price_list', 'mismatch')),
  detail             text,
  deadline           timestamptz not null,
  at_deadline        text not null check (at_deadline in ('void', 'capture')),
  escalate_at        timestamptz,
  -- Its amount is below what the rules let through: they capture it, unless a person looks at it.
  is_below_limit     boolean not null default false,
  -- When the rules have something to do next; null once it is decided.
  rules_at           timestamptz,
  -- Captures and voids by the rules that were refused one after the other.
  rule_refusals      integer not null default 0,
  -- The capture or void under way, or whose answer is missing: nothing else may be decided meanwhile.
  operation_id       text collate "C",
  -- Captures and voids that were sent so far; gives the next its sequence.
  operation_count    integer not null default 0,
  operation_refusal  json,
  decided_by         text check (decided_by in ('merchant', 'rules')),
  decided_at         timestamptz,
  primary key (merchant_id, payment_id),
  foreign key (merchant_id, payment_id) references payments,
  check ((status in ('captured', 'voided')) = (decided_at is not null)),
  check ((decided_at is null) = (decided_by is null)),
  check (decided_at is null or (operation_id is null and rules_at is null)),
  check (decided_at is not null or rules_at is not null)
);
create index holds_for_rules on holds (rules_at) where operation_id is null and rules_at is not null;
create index holds_waiting on holds (merchant_id, deadline) where decided_at is null;

-- The frozen envelope of each event, written with the change that it tells of.
create table events (
  merchant_id  text not null,
  -- Of a refund's event the refund's id: so a refund has events of sequence 1 and 2 of its own.
  payment_id   text not null,
  sequence     integer not null check (sequence in (1, 2)),
  event_id     text not null,
  type         text not null check (type in ('payment.captured', 'payment.held', 'payment.voided',
    'payment.declined', 'payment.failed', 'refund.succeeded', 'refund.failed')),
  body         text not null,
  created_at   timestamptz not null,
  primary key (merchant_id, payment_id, sequence),
  constraint events_subject_check check ((type like 'refund.%') = (payment_id like 'ref\_%'))
);
