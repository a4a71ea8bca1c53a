-- Tries of people who have shown something before count apart from those of anybody who knows their address.

create table sign_in_tries (
  user_id       text not null,
  -- What they had shown, such as `second_factor`; or in which session they prove themselves.
  counter       text not null,
  -- Wrong ones in a row. The tenth locks this counter, and no other.
  tries         integer not null,
  locked_until  timestamptz,
  tried_at      timestamptz not null,
  primary key (user_id, counter)
);
create index sign_in_tries_to_purge on sign_in_tries (tried_at);

-- A browser counts as known by a sign-in since then; null for any sign-in.
alter table users add column known_since timestamptz;
