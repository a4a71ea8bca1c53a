-- An integration that was deleted: no page and no server finds it any more, but sessions that were made with it go on by its
-- rules, and payments name it.

alter table integrations add column deleted_at timestamptz;
