-- The id of the current master key, where a process was not given it, so that `ripper doctor`, which is another process, can say so. Null
-- where it has the key.
alter table processes add column lacks_key text;
