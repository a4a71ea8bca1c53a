-- Events that are told in another platform's words alone. Their subject is a session or a Checkout Session of that platform's.
-- contract: the new CHECK, which stands a statement further down, is looser. Citus wants each by itself.
alter table events drop constraint events_type_check;
-- contract: the release before writes none of the new types and goes on. The rows that are there keep to it already.
alter table events add constraint events_type_check check (type in (
    'payment.captured', 'payment.held', 'payment.voided', 'payment.declined', 'payment.failed',
    'refund.succeeded', 'refund.failed', 'payment_intent.canceled', 'checkout.session.completed',
    'checkout.session.expired', 'checkout.session.async_payment_succeeded',
    'checkout.session.async_payment_failed')) not valid;
-- Of a refund's event: how much of its payment was given back then, pending refunds included. Null in others and in old ones.
alter table events add column refunded_amount bigint;
