-- The vault: card numbers and security codes, sealed, for as long as one attempt needs them.

create schema vault;

create table vault.cards (
  merchant_id               text not null,
  card_reference            text not null,
  session_id                text not null,
  mode                      text not null,
  brand                     text not null,
  last4                     text not null,
  bin6                      text not null,
  exp_month                 integer not null,
  exp_year                  integer not null,
  cardholder_name           text,
  fingerprint               bytea not null,
  sealed_number             bytea not null,
  -- What the card ranges said when the card was typed.
  three_ds_version          text,
  method_url                text,
  -- The connection that was asked about the card then; null for the mode's own 3DS Server.
  three_ds_provider         text,
  server_transaction_id     text not null,
  -- The provider knows server_transaction_id until then.
  transaction_usable_until  timestamptz,
  -- The Accept header of the page the card was typed on, which the bank asks for.
  accept_header             text not null,
  method_opened_at          timestamptz,
  method_completed_at       timestamptz,
  created_at                timestamptz not null,
  expires_at                timestamptz not null,
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
