// The background jobs that worlds run.

export type JobName =
  | 'reconcile'
  | 'handle_notices'
  | 'watch_database'
  | 'apply_hold_rules'
  | 'sweep_orphans'
  | 'reverse_orphans'
  | 'seal_journal'
  | 'compare_books'
  | 'watch_settlements'
  | 'watch_webhook_backlog'
  | 'purge_cards'
  | 'purge_limits'
  | 'rewrap_cards'
