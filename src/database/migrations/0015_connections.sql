-- Live acquirers: connections to them, what they post to us, and what the port to them can say.

-- 1. Operations: an acquirer may carry one out later, and name an authorisation before any money moved.

-- contract: the lists are longer by what only the new release writes
alter table acquirer_operations
  -- The acquirer's own name of an authorisation, stored before the charge was sent.
  add column handle  text,
  drop constraint acquirer_operations_kind_check,
  add constraint acquirer_operations_kind_check check (kind in ('authorise', 'capture', 'void', 'reverse', 'refund'))
    not valid,
  drop constraint acquirer_operations_state_check,
  -- `accepted`: the acquirer has taken it, and carries it out or refuses it later. It is never sent again.
  add constraint acquirer_operations_state_check check (state in
    ('sent', 'unknown', 'reversing', 'accepted', 'approved', 'declined', 'failed', 'refused', 'not_sent')) not valid,
  add constraint acquirer_operations_accepted_check check (state <> 'accepted' or kind <> 'authorise') not valid,
  drop constraint acquirer_operations_check1,
  add constraint acquirer_operations_next_check_check check (state in ('sent', 'unknown', 'reversing', 'accepted')
    or (next_check_at is null and waits_for_person_since is null)) not valid;
create index if not exists operations_open on acquirer_operations (next_check_at)
  where state in ('sent', 'unknown', 'reversing', 'accepted');
-- contract: the index above serves the release before, too
drop index operations_to_check;
-- contract: the release before writes no state that is new to it
create unique index if not exists one_settlement_open on acquirer_operations (merchant_id, payment_id)
  where kind in ('capture', 'void') and state in ('sent', 'unknown', 'accepted', 'approved');
-- contract: the index above forbids what this one did, and more
drop index one_settlement;

-- 2. Orphans: by all their names.

alter table orphan_authorisations
  add column acquirer_transaction_id  text,
  add column handle                   text,
  -- The acquirer's own name of the reversal that it accepted, and carries out later.
  add column reversal_transaction_id  text;

-- 3. The simulated acquirer gives money back.

-- contract: the list is longer by what only the new release writes
alter table simulator.ledger
  drop constraint ledger_kind_check,
  add constraint ledger_kind_check check (kind in ('authorise', 'capture', 'void', 'reverse', 'refund')) not valid,
  -- Of an authorisation: how much of what was captured was given back.
  add column refunded_amount bigint not null default 0;

-- 4. Connections: a merchant's accounts at acquirers and 3-D Secure providers.

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

-- 5. Notices: what acquirers post to us, verified, until it is known what it changes here.

create table acquirer_notices (
  merchant_id                     text not null,
  connection_id                   text not null,
  -- The acquirer's own id of it, or what stands for one: the same notice twice is one.
  notice_id                       text not null,
  about                           text not null,
  reference                       text collate "C",
  acquirer_transaction_id         text,
  authorisation_transaction_id    text,
  answer                          json,
  occurred_at                     timestamptz not null,
  received_at                     timestamptz not null,
  tries                           integer not null default 0,
  -- Null once it is known what it changed.
  next_try_at                     timestamptz,
  handled_at                      timestamptz,
  -- What it came to, for people.
  outcome                         text,
  primary key (merchant_id, connection_id, notice_id),
  foreign key (merchant_id, connection_id) references connections
);
create index notices_to_handle on acquirer_notices (next_try_at) where next_try_at is not null;
create index notices_to_forget on acquirer_notices (handled_at) where handled_at is not null;
