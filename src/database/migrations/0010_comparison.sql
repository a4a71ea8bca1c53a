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
