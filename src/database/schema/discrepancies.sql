-- Where an acquirer's books and ours disagree: authorisations that nobody here knows, and daily comparisons.

-- Authorisations that an acquirer holds and no payment of ours stands behind.
create table orphan_authorisations (
  acquirer                 text not null,
  -- Under which the acquirer knows it.
  reference                text collate "C" not null,
  mode                     text not null check (mode in ('test', 'live')),
  amount                   bigint not null,
  currency                 text not null,
  -- Its other names at the acquirer.
  acquirer_transaction_id  text,
  handle                   text,
  -- As the acquirer listed it; null where it was not listed: a person gave up what might have become of a charge.
  authorised_at            timestamptz,
  found_at                 timestamptz not null,
  -- Where an operation of ours bears the reference.
  merchant_id              text,
  payment_id               text,
  state                    text not null check (state in ('found', 'reversed', 'nothing_to_reverse', 'left')),
  -- Our reference of its reversal: of the last one, where the acquirer refused one before.
  operation_id             text collate "C" not null,
  -- The acquirer's own name of the reversal that it accepted, and carries out later.
  reversal_transaction_id  text,
  tries                    integer not null,
  -- When the reversal is to be tried, or whoever tries it counts as dead. Null once it is settled, while the sweep that
  -- found it goes on, and while it is held back.
  next_try_at              timestamptz,
  -- When it was held back: as one of too many that nobody here knows, or as a second charge where the acquirer cannot be asked which
  -- of the two lives. It is due after that where a person released it.
  held_back_at             timestamptz,
  last_failure             text,
  settled_at               timestamptz,
  -- Until then an acquirer may still approve what was taken back: that it holds nothing so far is not the end of it.
  watched_until            timestamptz,
  -- Of one that a person left as it is: who, and why. Kept, whatever became of it since.
  left_by                  text,
  left_reason              text,
  -- Of one that a person had reversed although it was held back or left: who, and when. Kept as well.
  released_by              text,
  released_at              timestamptz,
  primary key (acquirer, reference),
  check ((state = 'found') = (settled_at is null)),
  check (state = 'found' or next_try_at is null),
  check ((left_by is null) = (left_reason is null) and (state <> 'left' or left_by is not null)),
  check ((released_by is null) = (released_at is null))
);
create index orphans_to_reverse on orphan_authorisations (next_try_at) where state = 'found';
create index orphans_unknown on orphan_authorisations (acquirer, found_at) where merchant_id is null;

-- How far each acquirer's authorisations were gone through.
create table orphan_sweeps (
  acquirer     text primary key,
  swept_until  timestamptz not null
);

-- Brakes that a person has pulled, as after a backup was restored: of what nobody here knows, nothing is reversed by itself.
create table orphan_brakes (
  -- Its name, or * for every one.
  acquirer     text not null,
  pulled_at    timestamptz not null,
  pulled_by    text not null,
  reason       text not null,
  -- When it was let go, and by whom. Kept.
  released_at  timestamptz,
  released_by  text,
  primary key (acquirer, pulled_at),
  check ((released_at is null) = (released_by is null))
);
create unique index orphan_brakes_pulled on orphan_brakes (acquirer) where released_at is null;

-- What we call captured or held is compared with what acquirers say, once a day, and where they disagree a person is told.
create table acquirer_comparisons (
  acquirer        text primary key,
  -- When it is compared next; several processes take turns by it.
  due_at          timestamptz not null,
  -- Until when somebody is at it. Null while nobody is.
  lease_until     timestamptz,
  -- Of the last one that came to its end; null where none did.
  ended_at        timestamptz,
  compared_since  timestamptz,
  compared_until  timestamptz,
  -- How many of ours, and of theirs, were looked at.
  ours            bigint,
  theirs          bigint,
  -- Why the last one did not come to its end; null where it did.
  failure         text,
  check ((ended_at is null) = (compared_until is null))
);

create table acquirer_findings (
  acquirer         text not null,
  -- Of the charge.
  reference        text collate "C" not null,
  kind             text not null check (kind in ('missing_there', 'declined_there', 'voided_there', 'reversed_there',
    'expired_there', 'reserved_there', 'captured_there', 'amount_differs', 'currency_differs')),
  mode             text not null check (mode in ('test', 'live')),
  merchant_id      text not null,
  payment_id       text not null,
  -- State, amount and currency on both sides, as they were seen last.
  ours             json not null,
  theirs           json not null,
  found_at         timestamptz not null,
  seen_at          timestamptz not null,
  -- When a later look found both to agree.
  cleared_at       timestamptz,
  -- When a person closed it, who, and why.
  resolved_at      timestamptz,
  resolved_by      text,
  resolved_reason  text,
  primary key (acquirer, reference, kind),
  check ((resolved_at is null) = (resolved_by is null) and (resolved_at is null) = (resolved_reason is null))
);
create index findings_open on acquirer_findings (acquirer, seen_at) where cleared_at is null and resolved_at is null;
