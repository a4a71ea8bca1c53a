-- The payment link by which the session was opened; null for all others.
alter table sessions add column payment_link_id text;
-- To count what a link took. No session has a link yet, so that the index is empty; to build it, the table is read once.
create index if not exists sessions_by_payment_link on sessions (merchant_id, payment_link_id)
  where payment_link_id is not null and payment_id is not null;
