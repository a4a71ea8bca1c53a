-- The mode to which a key is bound holds for what the key makes: an endpoint that it made is told of events of that mode alone.
-- Null for an endpoint that is told of both.
alter table webhook_endpoints add column if not exists mode text check (mode in ('test', 'live'));
