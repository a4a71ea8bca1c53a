-- The proxy that a process's requests come through although RIPPER_TRUSTED_PROXIES does not name it, so that `ripper doctor`, which is
-- another process, can say so. Null where there is none.
alter table processes add column unnamed_proxy text;
