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
