-- The schema, read from top to bottom: who may call, what is bought, how it is paid, who is told.
-- Every table of a merchant begins its key with merchant_id, so that all of it can be distributed by merchant.
-- Times, ids and random values are always parameters: nothing here asks the database's own clock.

-- 1. Accounts. These few rows are read by every process and cached there.

create table merchants (
  merchant_id        text primary key,
  -- Names the merchant inside session ids, masked: see ids.ts.
  routing            bigint not null unique check (routing between 0 and 4294967295),
  name               text not null,
  status             text not null check (status in ('active', 'suspended')),
  live               boolean not null,
  live_enabled       boolean not null,
  acquiring_profile  json,
  created_at         timestamptz not null
);

create table publishable_keys (
  publishable_key  text primary key,
  merchant_id      text not null references merchants,
  created_at       timestamptz not null,
  revoked_at       timestamptz
);

create table integrations (
  merchant_id                   text not null references merchants,
  integration_id                text not null,
  name                          text not null,
  is_default                    boolean not null,
  is_hosted_page                boolean not null,
  handle                        text unique check (handle ~ '^[a-z0-9-]{3,64}$'),
  mode_setting                  text not null check (mode_setting in ('auto', 'test')),
  allowed_origins               text[] not null,
  confirmation_url              text,
  default_amount                bigint check (default_amount > 0),
  default_currency              text,
  price_list                    json,
  require_verified_amount       boolean not null,
  order_reference_metadata_key  text,
  on_3ds_unavailable            text not null check (on_3ds_unavailable in ('proceed', 'decline')),
  review_window_seconds         integer not null check (review_window_seconds > 0),
  at_deadline                   text not null check (at_deadline in ('void', 'capture')),
  escalate_after_seconds        integer check (escalate_after_seconds > 0),
  capture_below                 bigint check (capture_below > 0),
  appearance                    json,
  created_at                    timestamptz not null,
  primary key (merchant_id, integration_id),
  unique (merchant_id, name),
  check (not is_hosted_page or handle is not null),
  check ((default_amount is null) or (default_currency is not null))
);
create unique index one_default_integration on integrations (merchant_id) where is_default;
create unique index one_hosted_page on integrations (merchant_id) where is_hosted_page;

create table api_keys (
  key_id             text primary key,
  merchant_id        text not null references merchants,
  -- SHA-256 of the secret key; the key itself is shown once and kept nowhere.
  key_hash           bytea not null unique,
  publishable_key    text references publishable_keys,
  permissions        text[] not null,
  mode               text not null check (mode in ('any', 'test_only', 'live_only')),
  allowed_addresses  text[] not null,
  allowed_origins    text[] not null,
  created_at         timestamptz not null,
  expires_at         timestamptz,
  revoked_at         timestamptz
);

-- 2. Idempotency. A row is written in the transaction of what it names, so neither exists without the other.

create table idempotency_keys (
  merchant_id  text not null,
  -- 'secret' for a merchant's server, or the publishable key for its shoppers' browsers.
  audience     text not null,
  key          text not null,
  route        text not null,
  fingerprint  bytea not null,
  status       integer not null,
  -- The first answer's body, sealed: it may carry a secret that is stored nowhere else.
  answer       bytea,
  created_at   timestamptz not null,
  primary key (merchant_id, audience, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- 3. Checkout: session, attempts, payments, holds.

create table sessions (
  merchant_id                  text not null,
  session_id                   text not null,
  mode                         text not null check (mode in ('test', 'live')),
  -- As stored; 'expired' is what an open session reads as after expires_at.
  status                       text not null
    check (status in ('requires_payment', 'processing', 'succeeded', 'declined')),
  amount                       bigint not null check (amount > 0),
  currency                     text not null,
  items                        json,
  customer                     json,
  metadata                     json not null,
  statement_descriptor_suffix  text,
  order_reference              text,
  confirmation_url             text,
  integration_id               text,
  integration                  text,
  minted_by                    text check (minted_by in ('server', 'client')),
  public_key                   text,
  amount_verified              boolean not null,
  amount_verification_source   text not null check (amount_verification_source in
    ('server_minted', 'integration_default', 'price_list', 'none', 'mismatch')),
  amount_verification_detail   text,
  attempt_count                integer not null default 0 check (attempt_count between 0 and 3),
  last_decline                 json,
  payment_id                   text,
  settlement                   text check (settlement = 'awaiting_reconciliation'),
  -- While a charge is under way: when its answer counts as lost.
  answer_by                    timestamptz,
  created_at                   timestamptz not null,
  expires_at                   timestamptz not null,
  primary key (merchant_id, session_id),
  check (status <> 'processing' or payment_id is not null),
  check (amount_verified = (amount_verification_source in ('server_minted', 'integration_default', 'price_list')))
);

create table attempts (
  merchant_id            text not null,
  attempt_id             text not null,
  session_id             text not null,
  number                 integer not null check (number between 1 and 3),
  card_reference         text not null,
  brand                  text not null,
  last4                  text not null,
  phase                  text not null check (phase in ('authenticating', 'charging', 'settled')),
  three_ds_state         text not null check (three_ds_state in
    ('not_started', 'awaiting_challenge', 'authenticated', 'attempted', 'failed', 'rejected',
     'informational', 'unavailable', 'not_enrolled', 'superseded')),
  three_ds_version       text,
  server_transaction_id  text not null,
  ds_transaction_id      text,
  acs_transaction_id     text,
  acs_url                text,
  window_size            text not null,
  challenge_expires_at   timestamptz,
  cardholder_info        text,
  -- The ARes' or RReq's words, once final.
  authentication_outcome json,
  -- Who asks the Directory Server has the attempt to itself until then.
  asking_until           timestamptz,
  payment_id             text,
  -- The confirm answer, once there is one.
  result                 json,
  created_at             timestamptz not null,
  settled_at             timestamptz,
  primary key (merchant_id, attempt_id),
  unique (merchant_id, session_id, number),
  unique (merchant_id, server_transaction_id),
  foreign key (merchant_id, session_id) references sessions,
  check ((phase = 'settled') = (settled_at is not null)),
  check (three_ds_state <> 'awaiting_challenge' or (acs_url is not null and challenge_expires_at is not null))
);

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
    else capture_state is null end)
);
-- The database's own word on "one live payment a session": whatever the code does, a second one cannot be written.
create unique index one_live_payment on payments (merchant_id, session_id)
  where status in ('pending', 'captured', 'held');
create index payments_by_order_reference on payments (merchant_id, order_reference)
  where order_reference is not null and status = 'captured';

create table holds (
  merchant_id        text not null,
  payment_id         text not null,
  status             text not null check (status in ('pending_review', 'escalated', 'captured', 'voided')),
  reason             text not null check (reason in ('no_price_list', 'mismatch')),
  detail             text,
  deadline           timestamptz not null,
  decided_by         text check (decided_by in ('merchant', 'rules')),
  decided_at         timestamptz,
  operation_refusal  json,
  primary key (merchant_id, payment_id),
  foreign key (merchant_id, payment_id) references payments,
  check ((status in ('captured', 'voided')) = (decided_at is not null)),
  check ((decided_at is null) = (decided_by is null))
);

-- 4. Every call to an acquirer, written before it is made. operation_id is our reference at the acquirer.

create table acquirer_operations (
  merchant_id              text not null,
  operation_id             text not null,
  payment_id               text not null,
  kind                     text not null check (kind in ('authorise', 'capture', 'void', 'reverse')),
  sequence                 integer not null check (sequence > 0),
  acquirer                 text not null,
  amount                   bigint not null,
  currency                 text not null,
  state                    text not null
    check (state in ('sent', 'unknown', 'approved', 'declined', 'failed', 'refused', 'not_sent')),
  sent_at                  timestamptz not null,
  -- Without an answer by then the outcome counts as unknown, whatever became of the process that called.
  answer_by                timestamptz not null,
  checks                   integer not null default 0,
  next_check_at            timestamptz,
  acquirer_transaction_id  text,
  answer                   json,
  answered_at              timestamptz,
  primary key (merchant_id, operation_id),
  unique (merchant_id, payment_id, kind, sequence),
  foreign key (merchant_id, payment_id) references payments
);
-- At most one capture or void of a payment may be under way or done.
create unique index one_settlement on acquirer_operations (merchant_id, payment_id)
  where kind in ('capture', 'void') and state in ('sent', 'unknown', 'approved');
create index operations_without_answer on acquirer_operations (answer_by)
  where state in ('sent', 'unknown');

-- 5. Telling the merchant: the frozen envelope of each event, written with the change that it tells of.

create table events (
  merchant_id  text not null,
  payment_id   text not null,
  sequence     integer not null check (sequence in (1, 2)),
  event_id     text not null,
  type         text not null check (type in
    ('payment.captured', 'payment.held', 'payment.voided', 'payment.declined', 'payment.failed')),
  body         text not null,
  created_at   timestamptz not null,
  primary key (merchant_id, payment_id, sequence),
  foreign key (merchant_id, payment_id) references payments
);

-- What changed, when, and by which request: one line a change, never updated.
create table journal (
  merchant_id  text not null,
  -- UUIDv7 in hex, so that the key is the order.
  entry_id     text not null,
  subject      text not null,
  change       text not null,
  detail       json not null,
  request_id   text,
  at           timestamptz not null,
  primary key (merchant_id, entry_id)
);

-- 6. The vault: card numbers and security codes, sealed, for as long as one attempt needs them.

create schema vault;

create table vault.cards (
  merchant_id            text not null,
  card_reference         text not null,
  session_id             text not null,
  mode                   text not null,
  brand                  text not null,
  last4                  text not null,
  bin6                   text not null,
  exp_month              integer not null,
  exp_year               integer not null,
  cardholder_name        text,
  fingerprint            bytea not null,
  sealed_number          bytea not null,
  -- What the card ranges said when the card was typed.
  three_ds_version       text,
  method_url             text,
  server_transaction_id  text not null,
  -- The Accept header of the page the card was typed on, which the bank asks for.
  accept_header          text not null,
  method_opened_at       timestamptz,
  method_completed_at    timestamptz,
  created_at             timestamptz not null,
  expires_at             timestamptz not null,
  primary key (merchant_id, card_reference)
);
create index cards_by_expiry on vault.cards (expires_at);

-- Security codes never reach the write-ahead log, a replica or a backup: the table is emptied by a crash, and a
-- charge then goes out without the code.
create unlogged table vault.security_codes (
  merchant_id     text not null,
  card_reference  text not null,
  sealed_code     bytea not null,
  expires_at      timestamptz not null,
  primary key (merchant_id, card_reference)
);
create index security_codes_by_expiry on vault.security_codes (expires_at);

-- 7. 3-D Secure card ranges, one row a Directory Server.

create table three_ds_ranges (
  directory_server  text primary key,
  serial_number     text not null,
  fetched_at        timestamptz not null,
  ranges            json not null
);

-- 8. The simulated acquirer's own books, apart from ours as a bank's are: test mode is checked against them.

create schema simulator;

create table simulator.ledger (
  reference                text primary key,
  kind                     text not null check (kind in ('authorise', 'capture', 'void', 'reverse')),
  authorisation_reference  text not null,
  transaction_id           text not null,
  amount                   bigint not null,
  currency                 text not null,
  result                   text,
  decline_code             text,
  decline_category         text,
  reason                   text,
  requested_at             timestamptz not null,
  known_at                 timestamptz,
  capture                  boolean,
  brand                    text,
  last4                    text,
  behaviour                text,
  authorised_at            timestamptz,
  captured_at              timestamptz,
  voided_at                timestamptz,
  reversed_at              timestamptz,
  refused_before           boolean not null,
  version                  integer not null,
  check (captured_at is null or voided_at is null)
);
create index ledger_by_authorisation_time on simulator.ledger (authorised_at)
  where authorised_at is not null;

-- 9. Which master keys this database was sealed with, so that a wrong one is noticed before anything is lost.

create table sealing_keys (
  key_id           text primary key,
  -- When it last became the key that seals.
  made_current_at  timestamptz not null
);

-- 10. How far the running service's clock is shifted, so that commands in other terminals know of it.

create table service_clock (
  only_row        boolean primary key check (only_row),
  offset_seconds  bigint not null
);
