-- What keeps the doors of the dashboard tight: what tries of unknown names cost, and who read the journal.

-- Tries of names that nobody has, by the first byte of their digest: such a try writes as much as one of a person does, so
-- that the time of an answer does not say who has an account.
create table unknown_names (
  bucket          integer primary key,
  tries           bigint not null,
  -- Those that the journal has no line of, because there were too many in a minute.
  unlisted_tries  bigint not null
);

-- When this member last began to read the merchant's journal: a line is written once a quarter of an hour.
alter table memberships add column journal_read_at timestamptz;
