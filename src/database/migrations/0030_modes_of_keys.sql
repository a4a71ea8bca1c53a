-- First answers that pages had kept go after a day. Only creates of pages pay for the index.
create index if not exists idempotency_keys_of_pages on idempotency_keys (created_at) where audience like 'rip_pk_%';

-- The mode to which a key is bound holds for what the key makes: an endpoint that it made is told of events of that mode alone.
-- Null for an endpoint that is told of both.
alter table webhook_endpoints add column mode text check (mode in ('test', 'live'));

-- Whose idempotency key a decision or refund came with: keys that are for tests alone have an audience of their own. Null for
-- one of the release before.
alter table acquirer_operations add column idempotency_audience text;
