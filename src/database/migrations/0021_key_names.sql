-- What people call a key, so that they know which one to revoke. Null for keys without a name.

alter table api_keys add column name text;
