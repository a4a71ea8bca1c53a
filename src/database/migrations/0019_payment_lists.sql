-- Lists of payments, newest first, that stay fast however many there are. A page goes along one index from where the last ended.

alter table payments
  -- In lower case, as of when the charge began.
  add column if not exists customer_email  text collate "C",
  -- Of the card that was charged. Null, all three, in rows of the release before, until a job has filled them.
  add column if not exists card_brand      text,
  add column if not exists card_last4      text collate "C";

create index if not exists payments_by_time on payments (merchant_id, mode, created_at desc, payment_id desc);
-- A statement must name the status as a constant, since plans are made for every value of a parameter.
create index if not exists payments_unhappy on payments (merchant_id, mode, status, created_at desc, payment_id desc)
  where status <> 'captured';
create index if not exists payments_by_email on payments (merchant_id, mode, customer_email, created_at desc, payment_id desc)
  where customer_email is not null;
create index if not exists payments_by_last4 on payments (merchant_id, mode, card_last4, created_at desc, payment_id desc)
  where card_last4 is not null;
-- What a dispute quotes.
create index if not exists payments_by_transaction on payments (merchant_id, acquirer_transaction_id)
  where acquirer_transaction_id is not null;
-- Of every status, and by how a reference begins, whatever the database's language.
create index if not exists payments_by_reference
  on payments (merchant_id, mode, order_reference text_pattern_ops, created_at desc, payment_id desc)
  where order_reference is not null;
-- contract: the index above serves what the release before asks, too
drop index if exists payments_by_order_reference;

-- Empty once the job has filled all: the release before may still write such rows during an upgrade.
create index if not exists payments_to_fill on payments (merchant_id, payment_id) where card_brand is null;
