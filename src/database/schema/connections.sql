-- A merchant's accounts at acquirers and 3-D Secure providers, and what these tell us.

create table connections (
  merchant_id                  text not null references merchants,
  connection_id                text not null,
  kind                         text not null check (kind in ('acquirer', 'three_ds')),
  connector                    text not null,
  label                        text not null,
  mode                         text not null check (mode in ('live', 'sandbox')),
  sealed_credentials           bytea not null,
  -- What a rotation replaced: notices that were signed by it count until then.
  previous_sealed_credentials  bytea,
  previous_until               timestamptz,
  state                        text not null default 'active' check (state in ('active', 'disabled')),
  created_at                   timestamptz not null,
  rotated_at                   timestamptz,
  disabled_at                  timestamptz,
  primary key (merchant_id, connection_id),
  unique (merchant_id, label),
  check ((state = 'disabled') = (disabled_at is not null)),
  check ((previous_sealed_credentials is null) = (previous_until is null))
);

-- What acquirers post to us, verified, until it is known what it changes here.
create table acquirer_notices (
  merchant_id                   text not null,
  connection_id                 text not null,
  -- The acquirer's own id of it, or what stands for one: the same notice twice is one.
  notice_id                     text not null,
  about                         text not null,
  reference                     text collate "C",
  acquirer_transaction_id       text,
  authorisation_transaction_id  text,
  -- Whether it bears our mark. Null where the acquirer's notices bear none, and in rows that were written before this column.
  is_ours                       boolean,
  answer                        json,
  occurred_at                   timestamptz not null,
  received_at                   timestamptz not null,
  tries                         integer not null default 0,
  -- Null once it is known what it changed.
  next_try_at                   timestamptz,
  handled_at                    timestamptz,
  -- What it came to, for people.
  outcome                       text,
  primary key (merchant_id, connection_id, notice_id),
  foreign key (merchant_id, connection_id) references connections
);
create index notices_to_handle on acquirer_notices (next_try_at) where next_try_at is not null;
create index notices_to_forget on acquirer_notices (handled_at) where handled_at is not null;

-- 3-D Secure card ranges, one row a Directory Server.
create table three_ds_ranges (
  directory_server  text primary key,
  serial_number     text not null,
  fetched_at        timestamptz not null,
  ranges            json not null
);
