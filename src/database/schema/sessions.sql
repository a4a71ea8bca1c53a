-- What is bought, and each attempt to pay for it.

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

-- Sessions that nobody paid are deleted after some days: how far each merchant's were gone through.
create table session_purges (
  merchant_id  text not null,
  mode         text not null check (mode in ('test', 'live')),
  -- The newest line of the journal that was looked at. Unpaid sessions of this mode that lines up to it tell of are gone.
  until        text collate "C" not null,
  primary key (merchant_id, mode)
);

create table attempts (
  merchant_id             text not null,
  attempt_id              text not null,
  session_id              text not null,
  number                  integer not null check (number between 1 and 3),
  card_reference          text not null,
  brand                   text not null,
  last4                   text not null,
  -- The language that the shopper paid in, as a tag. Null where it is not known.
  locale                  text,
  phase                   text not null check (phase in ('authenticating', 'charging', 'settled')),
  three_ds_state          text not null check (three_ds_state in
    ('not_started', 'awaiting_challenge', 'authenticated', 'attempted', 'failed', 'rejected',
     'informational', 'unavailable', 'not_enrolled', 'superseded')),
  three_ds_version        text,
  -- The connection that authenticates; null for the mode's own 3DS Server.
  three_ds_provider       text,
  -- The provider's own name of the authentication, where it does not go by server_transaction_id.
  three_ds_handle         text,
  server_transaction_id   text not null,
  ds_transaction_id       text,
  acs_transaction_id      text,
  acs_url                 text,
  window_size             text not null,
  challenge_expires_at    timestamptz,
  cardholder_info         text,
  -- The ARes' or RReq's words, once final.
  authentication_outcome  json,
  -- Who asks the Directory Server has the attempt to itself until then.
  asking_until            timestamptz,
  payment_id              text,
  -- The confirm answer, once there is one.
  result                  json,
  created_at              timestamptz not null,
  settled_at              timestamptz,
  primary key (merchant_id, attempt_id),
  unique (merchant_id, session_id, number),
  unique (merchant_id, server_transaction_id),
  foreign key (merchant_id, session_id) references sessions,
  check ((phase = 'settled') = (settled_at is not null)),
  check (three_ds_state <> 'awaiting_challenge' or (acs_url is not null and challenge_expires_at is not null))
);
-- Challenges whose result is to be fetched.
create index challenges_awaited on attempts (challenge_expires_at) where three_ds_state = 'awaiting_challenge';
