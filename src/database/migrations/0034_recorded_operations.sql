-- Charges are compared by when something was recorded of them, however long ago they were made. A charge that was answered within the
-- hour is compared by when it was made: the index has only the few others, and costs a confirm nothing.
create index if not exists operations_recorded on acquirer_operations (answered_at)
  where kind in ('capture', 'void', 'reverse') or (kind = 'authorise' and answered_at - sent_at > interval '1 hour');
