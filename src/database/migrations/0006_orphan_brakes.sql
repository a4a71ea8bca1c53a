-- Brakes that a person has pulled, as after a backup was restored: of what nobody here knows, nothing is reversed by itself.

create table orphan_brakes (
  -- Its name, or * for every one.
  acquirer     text not null,
  pulled_at    timestamptz not null,
  pulled_by    text not null,
  reason       text not null,
  -- When it was let go, and by whom. Kept.
  released_at  timestamptz,
  released_by  text,
  primary key (acquirer, pulled_at),
  check ((released_at is null) = (released_by is null))
);
create unique index orphan_brakes_pulled on orphan_brakes (acquirer) where released_at is null;
