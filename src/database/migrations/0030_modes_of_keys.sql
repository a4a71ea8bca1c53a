-- First answers that pages had kept go after a day. Only creates of pages pay for the index.
create index if not exists idempotency_keys_of_pages on idempotency_keys (created_at) where audience like 'rip_pk_%';
