-- 3-D Secure through a merchant's connection: whose ids a card and an attempt bear, and results that are fetched.

alter table vault.cards
  -- The connection that was asked about the card when it was typed; null for the mode's own 3DS Server.
  add column three_ds_provider         text,
  -- The provider knows server_transaction_id until then.
  add column transaction_usable_until  timestamptz;

alter table attempts
  add column three_ds_provider  text,
  -- The provider's own name of the authentication, where it does not go by server_transaction_id.
  add column three_ds_handle    text;

-- Challenges whose result is to be fetched.
create index if not exists challenges_awaited on attempts (challenge_expires_at)
  where three_ds_state = 'awaiting_challenge';
