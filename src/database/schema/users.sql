-- People: who may sign in to the dashboard, by which ways, and what they may do at which merchant.

create table users (
  user_id         text primary key,
  -- In lower case.
  email           text not null unique,
  name            text not null,
  is_operator     boolean not null default false,
  -- argon2id, with the id of the master key that peppers it; null without a password.
  password_hash   text,
  -- The last ones, which must not come back; newest first.
  old_hashes      text[] not null default '{}',
  -- The secret of one-time codes, sealed; `pending` until a first code has confirmed it.
  totp_sealed     bytea,
  totp_pending    bytea,
  -- The 30 seconds of the last code that was used: each code works once.
  totp_last_step  bigint not null default 0,
  -- Failures in a row by password or code. The tenth locks both.
  tries           integer not null default 0,
  locked_until    timestamptz,
  -- A browser counts as known by a sign-in since then; null for any sign-in.
  known_since     timestamptz,
  created_at      timestamptz not null,
  seen_at         timestamptz,
  -- Warned that the account will be disabled because nobody uses it.
  warned_at       timestamptz,
  disabled_at     timestamptz
);

create table passkeys (
  credential_id  text primary key,
  user_id        text not null references users,
  -- COSE.
  public_key     bytea not null,
  counter        bigint not null,
  transports     text[] not null,
  is_backed_up   boolean not null,
  name           text not null,
  created_at     timestamptz not null,
  used_at        timestamptz,
  -- When the challenge was made that it last answered: no challenge is answered twice.
  challenged_at  timestamptz not null
);
create index passkeys_by_user on passkeys (user_id);

create table recovery_codes (
  code_hash  bytea primary key,
  user_id    text not null references users,
  used_at    timestamptz
);
create index recovery_codes_by_user on recovery_codes (user_id);

-- Accounts at a provider of single sign-on.
create table user_identities (
  issuer      text not null,
  subject     text not null,
  user_id     text not null references users,
  created_at  timestamptz not null,
  primary key (issuer, subject)
);

create table memberships (
  merchant_id      text not null references merchants,
  user_id          text not null references users,
  role             text not null check (role in ('owner', 'admin', 'developer', 'support', 'viewer')),
  invited_by       text,
  created_at       timestamptz not null,
  reviewed_at      timestamptz,
  -- When this member last began to read the merchant's journal: a line is written once a quarter of an hour.
  journal_read_at  timestamptz,
  primary key (merchant_id, user_id)
);
create index memberships_by_user on memberships (user_id);

create table sign_in_links (
  link_id       text primary key,
  -- SHA-256 of the secret.
  token_hash    bytea not null unique,
  purpose       text not null check (purpose in ('welcome', 'invite', 'reset')),
  -- Null where whoever opens the link says it.
  email         text,
  -- The account that is opened anew.
  user_id       text references users,
  merchant_id   text references merchants,
  role          text check (role in ('owner', 'admin', 'developer', 'support', 'viewer')),
  is_operator   boolean not null default false,
  -- As the journal names its author.
  made_by       text not null,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  used_at       timestamptz,
  withdrawn_at  timestamptz,
  check ((purpose = 'reset') = (user_id is not null)),
  check ((merchant_id is null) = (role is null))
);
create index sign_in_links_by_merchant on sign_in_links (merchant_id) where used_at is null;

create table user_sessions (
  session_id      text primary key,
  -- SHA-256 of the cookie's token, which changes with each proof; the one before is read for seconds more.
  session_hash    bytea not null unique,
  previous_hash   bytea,
  previous_until  timestamptz,
  user_id         text not null references users,
  -- What was shown, such as `passkey`, or `password` and `one_time_code`.
  factors         text[] not null,
  -- It has shown a password alone and waits for a second factor.
  is_half         boolean not null,
  address         text not null,
  agent           text not null,
  created_at      timestamptz not null,
  -- When a person last did something, to the minute.
  seen_at         timestamptz not null,
  proved_at       timestamptz not null,
  expires_at      timestamptz not null,
  ended_at        timestamptz
);
create index user_sessions_by_user on user_sessions (user_id);
create index user_sessions_previous on user_sessions (previous_hash) where previous_hash is not null;
create index user_sessions_to_purge on user_sessions (expires_at);

-- Tries of people who have shown something before. They count apart from those of anybody who knows an address.
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

-- Tries of names that nobody has, by the first byte of their digest. Such a try writes as much as one of a person does, so that the
-- time of an answer does not say who has an account.
create table unknown_names (
  bucket          integer primary key,
  tries           bigint not null,
  -- Those that the journal has no line of, because there were too many in a minute.
  unlisted_tries  bigint not null
);
