-- The limits against card testing: who has used what lately.

-- Unlogged, as a crash may forget it: a limit then begins anew, and nothing of it reaches a replica or a backup.
create unlogged table limit_uses (
  merchant_id  text not null,
  -- Which limit, and whose: a session, a publishable key, a card's fingerprint, or the keyed hash of an address.
  name         text not null,
  -- Each use that counts, by a mark that is its own, and when it ceases to, in milliseconds since 1970.
  uses         jsonb not null,
  -- When the last of them ceases to count.
  ends_at      timestamptz not null,
  primary key (merchant_id, name)
);
create index limit_uses_by_end on limit_uses (ends_at);
