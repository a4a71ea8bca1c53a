-- The list of payments of which something was refunded. Few are, so the index is small, and a payment enters it only by a refund.

create index if not exists payments_refunded on payments (merchant_id, mode, created_at desc, payment_id desc)
  where refunded_amount > 0;
