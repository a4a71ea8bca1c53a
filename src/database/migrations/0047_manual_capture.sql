-- When an integration takes money: at once, or when the merchant says so.
alter table integrations add column if not exists capture text not null default 'automatic';
-- contract: the release before does not know the column, and all its rows have the default.
alter table integrations add constraint integrations_capture_check check (capture in ('automatic', 'manual'));
