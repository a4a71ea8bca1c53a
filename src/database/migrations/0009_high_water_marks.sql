-- Marks that a database which has gone back has lost: processes remember the newest one, and miss it then.

create table high_water_marks (
  -- One more for each.
  epoch              bigint primary key,
  -- Drawn anew for each, so that the same number written again is another mark.
  mark               text not null,
  written_at         timestamptz not null,
  -- The cluster that it was written on, and its timeline. Null where the role may not read them.
  system_identifier  text,
  timeline           bigint
);
