-- What a library of the compatible platform asks for as a Checkout Session: lines, addresses, metadata. The shopper pays it by sessions
-- that its page makes, one after the other. Their rows say what became of it.

create table checkout_sessions (
  merchant_id          text not null,
  checkout_session_id  text not null,
  mode                 text not null check (mode in ('test', 'live')),
  amount               bigint not null check (amount > 0),
  currency             text not null,
  lines                json not null,
  success_url          text not null,
  cancel_url           text,
  customer_email       text,
  client_reference_id  text,
  metadata             json not null,
  -- Of the sessions that its page makes.
  payment_metadata     json not null,
  locale               text,
  integration_id       text not null,
  public_key           text not null,
  -- The newest session that its page made, and how many it made.
  session_id           text,
  session_count        integer not null default 0 check (session_count between 0 and 5),
  created_at           timestamptz not null,
  expires_at           timestamptz not null,
  -- When it was ended without a payment, and when a process looks next whether it has to be. Null where that is over.
  expired_at           timestamptz,
  look_at              timestamptz,
  primary key (merchant_id, checkout_session_id),
  check ((session_count = 0) = (session_id is null)),
  check (expired_at is null or look_at is null)
);
create index checkout_sessions_by_time on checkout_sessions (merchant_id, created_at, checkout_session_id);
create index checkout_sessions_to_look_at on checkout_sessions (look_at) where look_at is not null;
create index checkout_sessions_to_purge on checkout_sessions (expired_at) where expired_at is not null;

-- On a cluster whose tables are spread already; one that is spread later does it by cells/citus.sql.
do $$
declare is_spread boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select 1 from pg_dist_partition where logicalrelid = to_regclass(''sessions''))' into is_spread;
  end if;
  if is_spread then
    execute 'select create_distributed_table(''checkout_sessions'', ''merchant_id'', colocate_with => ''sessions'')';
  end if;
end $$;
