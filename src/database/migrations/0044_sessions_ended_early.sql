-- Why a session ended before its time; null where it did not. A process whose clock is behind must not take it for open.

alter table sessions add column if not exists cancellation text;
