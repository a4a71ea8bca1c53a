-- Telling merchants: endpoints, the queue of what is still to be told, what was settled, and one row an attempt.
-- The body of an event is frozen in `events`; everything here only points to it.
-- Ids are ordered by their bytes: in some languages `aa` comes after `z`, and a day's ids would not lie side by side.

-- A UUIDv7 in hex that a time and a seed decide: who knows both can name a row that somebody else has written.
create function webhook_id(at timestamptz, seed text) returns text language sql stable strict parallel safe
  return lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')
    || '7' || substr(encode(sha256(convert_to(seed, 'UTF8')), 'hex'), 1, 3)
    || 'a' || substr(encode(sha256(convert_to(seed, 'UTF8')), 'hex'), 4, 15);

create table webhook_endpoints (
  merchant_id             text not null references merchants,
  endpoint_id             text collate "C" not null,
  url                     text not null,
  -- Empty means every event type.
  event_filter            text[] not null,
  -- The events beyond the specification's five that were asked for. Null where the member was not sent.
  extension_events        text[],
  -- The mode of the key that made it, if that is bound to one: it is told of events of that mode alone. Null where it is told of both.
  mode                    text check (mode in ('test', 'live')),
  status                  text not null check (status in ('active', 'disabled')),
  sealed_secret           bytea not null,
  -- The secret before the last rotation, which signs too until then.
  previous_sealed_secret  bytea,
  previous_secret_until   timestamptz,
  created_at              timestamptz not null,
  disabled_at             timestamptz,
  primary key (merchant_id, endpoint_id),
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((previous_sealed_secret is null) = (previous_secret_until is null))
);

-- What a worker learned of an endpoint, written when its circuit breaker opens or closes, so that others know.
create table webhook_endpoint_health (
  merchant_id   text not null,
  endpoint_id   text collate "C" not null,
  state         text not null check (state in ('closed', 'open')),
  -- When an open breaker lets one delivery through to see.
  open_until    timestamptz,
  reopen_count  integer not null,
  last_failure  text,
  changed_at    timestamptz not null,
  primary key (merchant_id, endpoint_id),
  check ((state = 'open') = (open_until is not null))
);

-- What is not settled yet: hot and small. A row goes when its delivery has succeeded or is given up.
create table webhook_queue (
  merchant_id      text not null,
  delivery_id      text collate "C" not null,
  endpoint_id      text collate "C" not null,
  -- 0 until the first attempt has ended, then 1; replays are 1 from the start. New events never wait behind old ones.
  -- A person may put a retry or replay first: 0 until that attempt has ended.
  class            smallint not null check (class in (0, 1)),
  -- While an attempt is under way: when its lease ends, so that the row is due again by itself.
  due_at           timestamptz not null,
  -- The last attempt that was begun.
  attempt_number   integer not null,
  -- The attempt under way, null between attempts. Who settles must name it.
  attempt_id       text collate "C",
  -- When it was begun.
  attempted_at     timestamptz,
  -- The newest attempt that has a row of its own.
  last_attempt_id  text collate "C",
  -- The row that tells of an accepted replay until its first attempt has ended.
  pending_id       text collate "C",
  payment_id       text not null,
  sequence         integer not null,
  -- The delivery that must have had its first attempt before this one may have any.
  after_id         text collate "C",
  replay_of        text collate "C",
  root_id          text collate "C" not null,
  root_created_at  timestamptz not null,
  created_at       timestamptz not null,
  primary key (merchant_id, delivery_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
-- The only further index: with one on the time alone a claim would read all that an endpoint at rest has waiting.
create index webhook_queue_lanes on webhook_queue (class, endpoint_id, due_at);

-- Deliveries that are settled. The ids are UUIDv7 in hex, so a range of ids is a range of days.
create table webhook_deliveries (
  merchant_id      text not null,
  delivery_id      text collate "C" not null,
  endpoint_id      text collate "C" not null,
  payment_id       text not null,
  sequence         integer not null,
  status           text not null check (status in ('succeeded', 'dead_lettered')),
  attempt_count    integer not null,
  last_attempt_id  text collate "C",
  replay_of        text collate "C",
  root_id          text collate "C" not null,
  root_created_at  timestamptz not null,
  -- The replay of this one that is under way.
  active_replay    text collate "C",
  created_at       timestamptz not null,
  settled_at       timestamptz not null,
  primary key (merchant_id, delivery_id)
) partition by range (delivery_id);
create table webhook_deliveries_other partition of webhook_deliveries default;
-- Replays are few. By this one an operator sees which deliveries were replayed already.
create index webhook_deliveries_replays on webhook_deliveries (merchant_id, root_id) where replay_of is not null;

-- One row an attempt, and one (number 0) for a replay that waits for its first.
create table webhook_attempts (
  merchant_id           text not null,
  attempt_id            text collate "C" not null,
  delivery_id           text collate "C" not null,
  endpoint_id           text collate "C" not null,
  endpoint_url          text,
  payment_id            text not null,
  event_type            text not null,
  attempt_number        integer not null check (attempt_number >= 0),
  -- The attempt of the same delivery before this one.
  previous_attempt_id   text collate "C",
  replay_of             text collate "C",
  root_created_at       timestamptz not null,
  status                text not null check (status in ('succeeded', 'failed', 'dead_lettered', 'pending')),
  occurred_at           timestamptz not null,
  duration_ms           integer,
  response_status_code  integer,
  response_body         text,
  -- Why there was no answer, for the operator.
  failure               text,
  next_retry_at         timestamptz,
  primary key (merchant_id, attempt_id)
) partition by range (attempt_id);
create table webhook_attempts_other partition of webhook_attempts default;
create index webhook_attempts_unhappy on webhook_attempts (merchant_id, status, attempt_id)
  where status <> 'succeeded';
create index webhook_attempts_by_type on webhook_attempts (merchant_id, event_type, attempt_id);

-- Requests of one kind in one minute.
create table webhook_rate_limits (
  merchant_id  text not null,
  kind         text not null check (kind in ('read', 'write', 'replay')),
  minute       timestamptz not null,
  used         integer not null,
  primary key (merchant_id, kind)
);
