-- What belongs to no merchant: the installation's name, the keys it is sealed with, signs that it has gone back, its clock, its pages.

-- What an acquirer holds for us bears our mark, so that what others do over the same account is never touched.
create table installation (
  only_row         boolean primary key check (only_row),
  -- The same for as long as the database lives, and in its backups.
  installation_id  text not null,
  created_at       timestamptz not null
);

-- Which master keys this database was sealed with, so that a wrong one is noticed before anything is lost.
create table sealing_keys (
  key_id           text primary key,
  -- When it last became the key that seals.
  made_current_at  timestamptz not null
);

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

-- How far the running service's clock is shifted, so that commands in other terminals know of it.
create table service_clock (
  only_row        boolean primary key check (only_row),
  offset_seconds  bigint not null
);

-- The scripts and style sheets of every version that was served from here. A page that was opened before an upgrade, a
-- browser's cache, and a shop that fixed its version by `integrity` go on asking for the old ones.
create table page_assets (
  -- `/assets/{hash}/{name}`: the content is named by its hash, so a row never changes.
  path       text primary key,
  body       bytea not null,
  -- When a process last started with it.
  served_at  timestamptz not null
);
create index page_assets_by_age on page_assets (served_at);
