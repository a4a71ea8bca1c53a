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
