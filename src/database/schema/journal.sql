-- What changed, when, and by whom; that nobody has changed it since; and how often, for the overview.

-- One line a change, never updated.
create table journal (
  merchant_id  text not null,
  -- UUIDv7 in hex, so that the key is the order.
  entry_id     text collate "C" not null,
  -- Null for what belongs to no session, such as a key.
  session_id   text,
  subject      text not null,
  change       text not null,
  -- `shopper`, `key key_…`, `page rip_pk_…`, `bank`, `rules`, `reconciler`, `operator`, `service`.
  actor        text not null,
  detail       json not null,
  request_id   text,
  at           timestamptz not null,
  primary key (merchant_id, entry_id)
);
-- Most lines tell that a session was created, and are found by when it was: a second index would cost creates a tenth.
create index journal_by_session on journal (merchant_id, session_id, entry_id)
  where session_id is not null and change <> 'session.created';

-- Each line's place in its merchant's chain, given some seconds after it was written: a line is never changed.
create table audit_chain (
  merchant_id  text not null,
  position     bigint not null,
  entry_id     text collate "C" not null,
  -- SHA-256 of the hash before it and the line.
  hash         bytea not null,
  primary key (merchant_id, position),
  unique (merchant_id, entry_id)
);

-- Where each chain ends. Whoever extends it moves this on from where it was read, so no chain ever forks.
create table audit_heads (
  merchant_id  text primary key,
  position     bigint not null,
  hash         bytea not null
);

-- Lines are looked for at several ages, so that one which came late is found. How far those of an age were looked through.
create table audit_looks (
  merchant_id  text not null,
  age_seconds  integer not null,
  -- The ids below it.
  until        text collate "C" not null,
  primary key (merchant_id, age_seconds)
);

-- What the overview plots: how many lines of each kind the journal has, by quarter of an hour, since time zones differ by quarters.
create table payment_counts (
  merchant_id  text not null,
  mode         text not null check (mode in ('test', 'live')),
  -- When it began.
  quarter      timestamptz not null,
  currency     text not null,
  -- As in the journal.
  change       text not null,
  -- Of a decline its code; what else tells lines of one change apart.
  code         text not null,
  n            bigint not null,
  -- The sum of the lines' amounts, in minor units.
  amount       bigint not null,
  primary key (merchant_id, mode, quarter, currency, change, code)
);

-- Up to which place of its chain each merchant's journal was counted: every line has one place, also one that came late.
create table payment_count_marks (
  merchant_id  text primary key,
  position     bigint not null
);
