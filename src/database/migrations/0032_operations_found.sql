-- An acquirer's notice may bear a reference that we have never made, as what somebody does in its portal does: then it is found by
-- the acquirer's own id of the operation or of the authorisation. The handle of an authorisation is its id. The simulated acquirer
-- posts nothing, so its operations need no entry.
create index if not exists operations_by_acquirer_id on acquirer_operations
  (merchant_id, (coalesce(handle, acquirer_transaction_id)))
  where coalesce(handle, acquirer_transaction_id) is not null and acquirer <> 'simulator';

-- Charges are compared by when something was recorded of them, however long ago they were made. A charge that was answered within the
-- hour is compared by when it was made: the index has only the few others, and costs a confirm nothing.
create index if not exists operations_recorded on acquirer_operations (answered_at)
  where kind in ('capture', 'void', 'reverse') or (kind = 'authorise' and answered_at - sent_at > interval '1 hour');

-- Whose idempotency key a decision or refund came with: keys that are for tests alone have an audience of their own. Null for
-- one of the release before.
alter table acquirer_operations add column if not exists idempotency_audience text;
