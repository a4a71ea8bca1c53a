-- The Checkout Session whose page made the session; null for all others.
alter table sessions add column checkout_session_id text;
