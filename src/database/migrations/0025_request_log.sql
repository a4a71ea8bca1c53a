-- Requests with a merchant's secret key that were refused: what whoever builds against the service looks for.

create table request_log (
  merchant_id  text not null,
  -- The time in hexadecimal milliseconds, then the end of the request's id: the key is the order.
  entry_id     text collate "C" not null,
  request_id   text not null,
  key_id       text not null,
  at           timestamptz not null,
  method       text not null,
  -- With `…` in place of what is no id of ours. No query.
  path         text not null,
  route        text not null,
  status       integer not null,
  code         text,
  -- The member of the body that was at fault.
  field        text,
  duration_ms  double precision not null,
  primary key (merchant_id, entry_id)
) partition by range (entry_id);
create table request_log_other partition of request_log default;
