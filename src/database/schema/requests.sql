-- Requests of merchants: the first answers under their idempotency keys, what they have used of limits, and what was refused.

-- A row is written in the transaction of what it names, so neither exists without the other.
create table idempotency_keys (
  merchant_id  text not null,
  -- `secret` for a merchant's server, `test` for one whose key is for tests alone, or the publishable key for shoppers' browsers.
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
-- First answers that pages had kept go after a day. Only creates of pages pay for the index.
create index idempotency_keys_of_pages on idempotency_keys (created_at) where audience like 'rip_pk_%';

-- The limits against card testing: who has used what lately. Unlogged, as a crash may forget it: a limit then begins anew, and nothing
-- of it reaches a replica or a backup.
create unlogged table limit_uses (
  merchant_id  text not null,
  -- Which limit, and whose: a session, a publishable key, a card's fingerprint, or the keyed hash of an address.
  name         text not null,
  -- Each use that counts, by a mark that is its own, and when it ceases to, in milliseconds since 1970.
  uses         jsonb not null,
  -- When the last of them ceases to count.
  ends_at      timestamptz not null,
  primary key (merchant_id, name)
);
create index limit_uses_by_end on limit_uses (ends_at);

-- Requests with a merchant's secret key that were refused: what whoever builds against the service looks for.
create table request_log (
  merchant_id  text not null,
  -- The time in hexadecimal milliseconds, then the end of the request's id: the key is the order.
  entry_id     text collate "C" not null,
  request_id   text not null,
  key_id       text not null,
  at           timestamptz not null,
  method       text not null,
  -- With `…` in place of what is no id of ours. No query.
  path         text not null,
  route        text not null,
  status       integer not null,
  code         text,
  -- The member of the body that was at fault.
  field        text,
  duration_ms  double precision not null,
  primary key (merchant_id, entry_id)
) partition by range (entry_id);
create table request_log_other partition of request_log default;
