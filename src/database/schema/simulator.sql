-- The simulated bank's own books, apart from ours as a bank's are: test mode is checked against them.

create schema simulator;

-- Of the acquirer: one row a request.
create table simulator.ledger (
  reference                text primary key,
  kind                     text not null check (kind in ('authorise', 'capture', 'void', 'reverse', 'refund')),
  -- Whose an authorisation is. Null where a version wrote it that knew no marks.
  installation             text,
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
  -- Of an authorisation: how much of what was captured was given back.
  refunded_amount          bigint not null default 0,
  refused_before           boolean not null,
  version                  integer not null,
  check (captured_at is null or voided_at is null)
);
create index ledger_by_authorisation_time on simulator.ledger (authorised_at)
  where authorised_at is not null;

-- Challenges of the issuer: any process shows and ends them, whichever was asked to authenticate.
create table simulator.challenges (
  acs_transaction_id     text primary key,
  server_transaction_id  text not null,
  ds_transaction_id      text not null,
  version                text not null,
  behaviour              text not null,
  merchant_name          text not null,
  amount                 text not null,
  currency               text not null,
  exponent               integer not null,
  notification_url       text not null,
  -- What a successful end proves. The number of the card is not kept.
  authentication_value   text not null,
  eci                    text not null,
  created_at             timestamptz not null,
  opened                 boolean not null,
  tries                  integer not null,
  session_data           text,
  -- How it ended or, before, how it ends where nobody answers.
  ending                 text not null,
  has_ended              boolean not null,
  -- When it ends by itself; once it has ended, when its result is sent again. Null once that has arrived or was given up.
  due_at                 timestamptz,
  sends_left             integer not null,
  -- Grows with each change: who has read an older one changes nothing.
  revision               integer not null
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index challenges_due on simulator.challenges (due_at) where due_at is not null;
create index challenges_by_age on simulator.challenges (created_at);
