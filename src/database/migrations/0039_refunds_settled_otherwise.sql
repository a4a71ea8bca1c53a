-- A refund that failed, and whose money a person gave back another way, such as by a bank transfer: when somebody said so, and how much
-- of it was owed then. Who and why is in the journal. Null for all others, and again once it is taken back.
alter table refunds add column otherwise_at timestamptz, add column otherwise_amount bigint;
