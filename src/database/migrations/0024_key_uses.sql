-- When a key was used last, within an hour, and the person who made it at the dashboard: both say which key may be revoked. Null
-- where nobody knows.

alter table api_keys add column last_used_at timestamptz, add column made_by text;
