-- Merchants, the keys that speak for them, and the integrations whose rules their sessions follow. These few rows are read by every
-- process and cached there.

create table merchants (
  merchant_id        text primary key,
  -- Names the merchant inside session ids, masked: see ids.ts.
  routing            bigint not null unique check (routing between 0 and 4294967295),
  name               text not null,
  status             text not null check (status in ('active', 'suspended')),
  live               boolean not null,
  live_enabled       boolean not null,
  acquiring_profile  json,
  created_at         timestamptz not null
);

create table publishable_keys (
  publishable_key  text primary key,
  merchant_id      text not null references merchants,
  created_at       timestamptz not null,
  revoked_at       timestamptz
);

create table api_keys (
  key_id             text primary key,
  merchant_id        text not null references merchants,
  -- What people call it, so that they know which one to revoke. Null without a name.
  name               text,
  -- SHA-256 of the secret key; the key itself is shown once and kept nowhere.
  key_hash           bytea not null unique,
  publishable_key    text references publishable_keys,
  permissions        text[] not null,
  mode               text not null check (mode in ('any', 'test_only', 'live_only')),
  allowed_addresses  text[] not null,
  allowed_origins    text[] not null,
  created_at         timestamptz not null,
  -- The person who made it at the dashboard. Null where nobody knows.
  made_by            text,
  expires_at         timestamptz,
  -- Within an hour: it says which key may be revoked. Null where nobody knows.
  last_used_at       timestamptz,
  revoked_at         timestamptz
);

create table integrations (
  merchant_id                   text not null references merchants,
  integration_id                text not null,
  name                          text not null,
  is_default                    boolean not null,
  is_hosted_page                boolean not null,
  handle                        text unique check (handle ~ '^[a-z0-9-]{3,64}$'),
  mode_setting                  text not null check (mode_setting in ('auto', 'test')),
  allowed_origins               text[] not null,
  confirmation_url              text,
  -- Where shoppers find the merchant: its terms, its support, and the shop that they came from.
  terms_url                     text,
  support_url                   text,
  back_url                      text,
  default_amount                bigint check (default_amount > 0),
  default_currency              text,
  price_list                    json,
  require_verified_amount       boolean not null,
  order_reference_metadata_key  text,
  on_3ds_unavailable            text not null check (on_3ds_unavailable in ('proceed', 'decline')),
  review_window_seconds         integer not null check (review_window_seconds > 0),
  at_deadline                   text not null check (at_deadline in ('void', 'capture')),
  escalate_after_seconds        integer check (escalate_after_seconds > 0),
  capture_below                 bigint check (capture_below > 0),
  appearance                    json,
  -- Labels of the merchant's connections of mode sandbox, one of each kind at most: test sessions are paid for at that vendor's
  -- sandbox instead of at the simulator.
  test_connections              text[] not null default '{}',
  created_at                    timestamptz not null,
  -- From then on no page and no server finds it. Sessions that were made with it go on by its rules, and payments name it.
  deleted_at                    timestamptz,
  primary key (merchant_id, integration_id),
  unique (merchant_id, name),
  check (not is_hosted_page or handle is not null),
  check ((default_amount is null) or (default_currency is not null))
);
create unique index one_default_integration on integrations (merchant_id) where is_default;
create unique index one_hosted_page on integrations (merchant_id) where is_hosted_page;

-- Up to how much support may refund of a payment. Of a currency without a row, nothing.
create table support_refund_limits (
  merchant_id  text not null references merchants,
  currency     text not null,
  -- In minor units.
  amount       bigint not null check (amount > 0),
  primary key (merchant_id, currency)
);
