-- The last four characters of the secret key, by which people find the row of one that has leaked. The 44 before them are random, too, and
-- stay unknown. Null for keys that were made before, of which only the hash was kept.
alter table api_keys add column secret_end text;
