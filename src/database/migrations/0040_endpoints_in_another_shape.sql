-- Endpoints that are told of events in another platform's words, what its clients keep with them, and the headers of Standard Webhooks.
alter table webhook_endpoints
  -- In whose words it is told.
  add column event_format text not null default 'ripper',
  -- The version that its events carry; null in our own words.
  add column compatible_version text,
  add column description text,
  add column metadata json not null default '{}',
  -- Whether its deliveries also carry webhook-id, webhook-timestamp and webhook-signature.
  add column standard_webhooks boolean not null default false,
  -- Of a disabled one: its owner may enable it again, so it was not deleted.
  add column may_return boolean not null default false;
-- contract: the release before does not know the column, and all its rows have the default.
alter table webhook_endpoints add constraint webhook_endpoints_event_format_check
  check (event_format in ('ripper', 'stripe'));
