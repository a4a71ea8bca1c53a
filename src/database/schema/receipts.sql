-- Receipts for shoppers wait here until a mail server has taken them. Each is written with its capture.

-- Whether receipts of a mode are sent. Who sends them says so again and again, and is believed for a day: without a mail server
-- nothing is queued.
create table receipt_senders (
  mode         text primary key check (mode in ('test', 'live')),
  sends_until  timestamptz not null
);

create table receipt_queue (
  merchant_id  text not null,
  payment_id   text not null,
  mode         text not null check (mode in ('test', 'live')),
  created_at   timestamptz not null,
  -- When it is to be sent; while somebody sends it, when whoever does counts as dead.
  due_at       timestamptz not null,
  -- Set while somebody sends it. One that is left so may have been sent, and is not sent again.
  claimed_at   timestamptz,
  tries        integer not null,
  primary key (merchant_id, payment_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index receipts_due on receipt_queue (due_at);
