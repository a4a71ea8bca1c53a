-- Which processes work on this database, and what addresses have asked of all of them together. Nothing here has to outlive a crash of
-- the server: it is written again within seconds, and costs no log.

create unlogged table processes (
  process_id  text primary key,
  -- Whether it takes requests; all deliver webhooks.
  serves      boolean not null,
  seen_at     timestamptz not null
);

-- Seats of open streams, over all processes. They go with their process.
create unlogged table stream_seats (
  seat_id     text primary key,
  process_id  text not null references processes on delete cascade,
  owner       text not null
);
create index stream_seats_of_owner on stream_seats (owner);
create index stream_seats_of_process on stream_seats (process_id);

-- A limit of one address in one minute. Processes take places of it in advance.
create unlogged table gateway_counts (
  -- When the minute begins, by the database's clock.
  window_at  timestamptz not null,
  -- A digest of what is counted and of the address.
  name       text collate "C" not null,
  places     integer not null,
  taken      integer not null,
  -- What the last one who asked was given.
  given      integer not null,
  primary key (window_at, name)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
