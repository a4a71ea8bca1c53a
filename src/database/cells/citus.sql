-- Distributes every table by merchant over the nodes of a Citus cluster, each merchant's rows on one node. `ripper migrate --distribute`
-- runs it once on the coordinator of an empty database.

-- 1. A copy on every node: small, read by all, and unique by more than the merchant.

select create_reference_table('merchants');
select create_reference_table('publishable_keys');
select create_reference_table('api_keys');
select create_reference_table('integrations');
select create_reference_table('connections');
select create_reference_table('users');
select create_reference_table('passkeys');
select create_reference_table('recovery_codes');
select create_reference_table('user_identities');
select create_reference_table('memberships');
select create_reference_table('saved_filters');
select create_reference_table('support_refund_limits');
select create_reference_table('sign_in_links');
select create_reference_table('user_sessions');
select create_reference_table('installation');
select create_reference_table('receipt_senders');
-- Few rows, whose merchant is often not known.
select create_reference_table('orphan_authorisations');
select create_reference_table('orphan_sweeps');
select create_reference_table('orphan_brakes');
select create_reference_table('acquirer_comparisons');
select create_reference_table('acquirer_findings');

-- 2. The ids that statements on the workers make.

select create_distributed_function('webhook_id(timestamptz, text)');

-- 3. By merchant. What is referred to comes first.

select create_distributed_table('sessions', 'merchant_id', colocate_with => 'none');
select create_distributed_table('checkout_sessions', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('payment_links', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('attempts', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('payments', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('holds', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('acquirer_operations', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('refunds', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('disputes', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('acquirer_notices', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('payouts', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('payout_lines', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('payout_pieces', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('events', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('receipt_queue', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('idempotency_keys', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('vault.cards', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('vault.security_codes', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('limit_uses', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('session_purges', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('webhook_endpoints', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('webhook_endpoint_health', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('webhook_queue', 'merchant_id', colocate_with => 'sessions');
-- With the partitions that they have by then.
select create_distributed_table('webhook_deliveries', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('webhook_attempts', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('request_log', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('webhook_rate_limits', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('journal', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('audit_chain', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('audit_heads', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('audit_looks', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('payment_counts', 'merchant_id', colocate_with => 'sessions');
select create_distributed_table('payment_count_marks', 'merchant_id', colocate_with => 'sessions');

-- What is not named here stays on the coordinator alone, where no cell reads it: the simulated bank's books, which know no merchant,
-- the migrations, the pages, tries to sign in, and what each process writes when it starts or every few seconds: while a node is away,
-- nothing that lies on every node can be written. High-water marks are each server's own: make-cells.sql.
