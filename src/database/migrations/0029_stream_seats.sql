-- Seats of open streams, over all processes. They go with their process.

create unlogged table stream_seats (
  seat_id     text primary key,
  process_id  text not null references processes on delete cascade,
  owner       text not null
);
create index stream_seats_of_owner on stream_seats (owner);
create index stream_seats_of_process on stream_seats (process_id);
