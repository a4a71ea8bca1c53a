-- An acquirer's notice may bear a reference that we have never made, as what somebody does in its portal does: then it is found by
-- the acquirer's own id of the operation or of the authorisation.

-- The handle of an authorisation is its id. The simulated acquirer posts nothing, so its operations need no entry.
create index if not exists operations_by_acquirer_id on acquirer_operations
  (merchant_id, (coalesce(handle, acquirer_transaction_id)))
  where coalesce(handle, acquirer_transaction_id) is not null and acquirer <> 'simulator';

-- Whether it bears our mark. Null where the acquirer's notices bear none, and in rows of the release before.
alter table acquirer_notices add column is_ours boolean;

-- A second charge of a payment may wait for a person, too, where the acquirer cannot be asked which of the two lives.
-- contract: the release before claims nothing that is held back, whoever it belongs to
alter table orphan_authorisations drop constraint orphan_authorisations_check4;
