-- Whether a notice bears our mark. Null where the acquirer's notices bear none, and in rows of the release before.
alter table acquirer_notices add column is_ours boolean;
