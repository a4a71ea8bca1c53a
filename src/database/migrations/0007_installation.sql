-- What an acquirer holds for us bears our mark, so that what others do over the same account is never touched.

create table installation (
  only_row         boolean primary key check (only_row),
  -- The same for as long as the database lives, and in its backups.
  installation_id  text not null,
  created_at       timestamptz not null
);

-- Whose an authorisation is. Null where a version wrote it that knew no marks.
alter table simulator.ledger add column installation text;
