-- Integrations whose test sessions are paid for at a vendor's sandbox instead of at the simulator.

alter table integrations
  -- Labels of the merchant's connections of mode sandbox, one of each kind at most.
  add column test_connections text[] not null default '{}';
