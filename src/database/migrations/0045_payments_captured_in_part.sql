-- How a payment was to be captured: 'manual' where its integration waits for the merchant; null where money is taken at once. And what
-- was taken of it, where that is less than was authorised; else null.
alter table payments add column if not exists capture_method text, add column if not exists captured_amount bigint;
-- contract: the release before captures nothing in part, so none of its rows breaks this; those that are there have a null.
alter table payments add constraint payments_captured_amount_check check (
  captured_amount is null or (status = 'captured' and captured_amount > 0 and captured_amount < amount
    and refunded_amount <= captured_amount)) not valid;
