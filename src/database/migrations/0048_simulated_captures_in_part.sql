-- Of an authorisation: how much of it was captured. Null where nothing was, or by a version that captured all or nothing.
alter table simulator.ledger add column if not exists captured_amount bigint;
