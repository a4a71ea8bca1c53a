<?php

// The API's bodies, answers and events as types. Made from the service's schemas by `npm run docs`.

declare(strict_types=1);

namespace Ripper;

/**
 * What is sent, as arrays.
 *
 * @phpstan-type ItemCreate array{kind?: 'product'|'shipping'|'discount'|'fee'|null, sku?: string|null, name?: string|null, quantity: int, unit_amount?: int|null, tax_amount?: int|null, tax_rate?: int|null, type?: string|null}
 * @phpstan-type CustomerCreate array{email?: string|null, name?: string|null, account_id?: string|null, metadata?: array<string, string>|null}
 * @phpstan-type CheckoutSessionCreate array{amount: int, currency: string, items?: list<ItemCreate>|null, customer?: CustomerCreate|null, metadata?: array<string, string>|null, statement_descriptor_suffix?: string|null, order_reference?: string|null, confirmation_url?: string|null}
 * @phpstan-type CheckoutSessionQuery array{limit?: int, after?: string, mode?: 'test'|'live', created_from?: string, created_before?: string, status?: 'requires_payment'|'processing'|'succeeded'|'declined'|'expired', order_reference?: string}
 * @phpstan-type PaymentQuery array{limit?: int, after?: string, mode?: 'test'|'live', created_from?: string, created_before?: string, status?: 'captured'|'held'|'voided'|'pending'|'declined'|'failed', customer_email?: string, card_last4?: string, order_reference?: string, amount?: int, currency?: string, decline_code?: string, refunded?: bool}
 * @phpstan-type EventQuery array{limit?: int, after?: string, mode?: 'test'|'live', created_from?: string, created_before?: string, type?: 'payment.captured'|'payment.held'|'payment.voided'|'payment.declined'|'payment.failed'|'refund.succeeded'|'refund.failed'|'dispute.opened'|'dispute.closed', payment_id?: string}
 * @phpstan-type RefundCreate array{amount?: int, reason?: string|null, accept_dispute?: bool}
 * @phpstan-type DisputeQuery array{limit?: int, after?: string, mode?: 'test'|'live', created_from?: string, created_before?: string, status?: 'needs_response'|'under_review'|'won'|'lost'|'closed', payment_id?: string}
 * @phpstan-type PaymentLinkCreate array{amount: int, currency: string, items?: list<ItemCreate>|null, order_reference?: string|null, description?: string|null, expires_at?: string|null, max_payments?: int|null}
 * @phpstan-type PaymentLinkQuery array{limit?: int, after?: string, mode?: 'test'|'live', created_from?: string, created_before?: string, status?: 'active'|'completed'|'expired'|'disabled'}
 * @phpstan-type PayoutQuery array{limit?: int, after?: string, mode?: 'test'|'live', created_from?: string, created_before?: string}
 * @phpstan-type WebhookEndpointCreate array{url: string, event_filter?: list<'payment.captured'|'payment.held'|'payment.voided'|'payment.declined'|'payment.failed'|'charge.dispute.closed'|'charge.dispute.created'|'charge.refunded'|'checkout.session.async_payment_failed'|'checkout.session.async_payment_succeeded'|'checkout.session.completed'|'checkout.session.expired'|'payment_intent.amount_capturable_updated'|'payment_intent.canceled'|'payment_intent.payment_failed'|'payment_intent.succeeded'|'refund.failed'>|null, event_format?: 'ripper'|'stripe'|null, api_version?: string|null, standard_webhooks?: bool|null, extension_events?: list<'refund.succeeded'|'refund.failed'|'dispute.opened'|'dispute.closed'>|null}
 * @phpstan-type WebhookDeliveryQuery array{limit?: int, after?: string, status?: 'succeeded'|'failed'|'dead_lettered'|'pending', event_type?: string}
 */
interface Sent
{
}

/**
 * A line of a basket.
 *
 * @property-read 'product'|'shipping'|'discount'|'fee' $kind
 * @property-read string|null $sku
 * @property-read string|null $name
 * @property-read int $quantity
 * @property-read int|null $unit_amount
 * @property-read int|null $tax_amount
 * @property-read int|null $tax_rate
 * @property-read string|null $type
 */
final class Item extends Answer
{
    protected const MEMBERS = [
        'kind' => null,
        'sku' => null,
        'name' => null,
        'quantity' => null,
        'unit_amount' => null,
        'tax_amount' => null,
        'tax_rate' => null,
        'type' => null,
    ];
}

/**
 * The shopper.
 *
 * @property-read string|null $email
 * @property-read string|null $name
 * @property-read string|null $account_created
 * @property-read string|null $account_id
 * @property-read array<string, string>|null $metadata
 */
final class Customer extends Answer
{
    protected const MEMBERS = [
        'email' => null,
        'name' => null,
        'account_created' => null,
        'account_id' => null,
        'metadata' => null,
    ];
}

/**
 * A card as it is shown: its brand and last four digits.
 *
 * @property-read string $brand
 * @property-read string $last4
 */
final class Card extends Answer
{
    protected const MEMBERS = [
        'brand' => null,
        'last4' => null,
    ];
}

/**
 * Why nothing was taken.
 *
 * @property-read string $code
 * @property-read string|null $category
 * @property-read string|null $reason
 */
final class Decline extends Answer
{
    protected const MEMBERS = [
        'code' => null,
        'category' => null,
        'reason' => null,
    ];
}

/**
 * Part of Hold.
 *
 * @property-read string $kind
 * @property-read int $sequence
 * @property-read string $reason
 * @property-read string|null $decline_code
 * @property-read string $at
 */
final class HoldOperationRefusal extends Answer
{
    protected const MEMBERS = [
        'kind' => null,
        'sequence' => null,
        'reason' => null,
        'decline_code' => null,
        'at' => null,
    ];
}

/**
 * Why a payment waits for a decision, until when, and what was decided.
 *
 * @property-read 'pending_review'|'escalated'|'captured'|'voided' $status
 * @property-read 'no_price_list'|'mismatch'|'manual_capture' $reason
 * @property-read string|null $detail
 * @property-read string $deadline
 * @property-read string|null $decided_by
 * @property-read string|null $decided_at
 * @property-read HoldOperationRefusal|null $operation_refusal
 */
final class Hold extends Answer
{
    protected const MEMBERS = [
        'status' => null,
        'reason' => null,
        'detail' => null,
        'deadline' => null,
        'decided_by' => null,
        'decided_at' => null,
        'operation_refusal' => HoldOperationRefusal::class,
    ];
}

/**
 * A new session. Only here it has its client_secret.
 *
 * @property-read string $id
 * @property-read string $client_secret
 * @property-read string $status
 * @property-read 'test'|'live' $mode
 * @property-read int $amount
 * @property-read string $currency
 * @property-read string $public_key
 * @property-read string $config_url
 * @property-read string $created_at
 * @property-read string $expires_at
 * @property-read int $expires_in_seconds
 */
final class CheckoutSessionCreated extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'client_secret' => null,
        'status' => null,
        'mode' => null,
        'amount' => null,
        'currency' => null,
        'public_key' => null,
        'config_url' => null,
        'created_at' => null,
        'expires_at' => null,
        'expires_in_seconds' => null,
    ];
}

/**
 * A session and its state.
 *
 * @property-read string $id
 * @property-read 'requires_payment'|'processing'|'succeeded'|'declined'|'expired' $status
 * @property-read 'test'|'live' $mode
 * @property-read int $amount
 * @property-read string $currency
 * @property-read list<Item>|null $items
 * @property-read int|null $basket_total
 * @property-read int|null $tax_total
 * @property-read Customer|null $customer
 * @property-read array<string, string> $metadata
 * @property-read int $attempt_count
 * @property-read Decline|null $last_decline
 * @property-read string|null $payment_id
 * @property-read 'awaiting_reconciliation'|null $settlement
 * @property-read string $created_at
 * @property-read string $expires_at
 * @property-read int $expires_in_seconds
 * @property-read string|null $integration
 * @property-read 'server'|'client'|null $minted_by
 * @property-read bool $amount_verified
 * @property-read string $amount_verification_source
 * @property-read string|null $amount_verification_detail
 * @property-read Hold|null $hold
 */
final class CheckoutSession extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'status' => null,
        'mode' => null,
        'amount' => null,
        'currency' => null,
        'items' => [Item::class],
        'basket_total' => null,
        'tax_total' => null,
        'customer' => Customer::class,
        'metadata' => null,
        'attempt_count' => null,
        'last_decline' => Decline::class,
        'payment_id' => null,
        'settlement' => null,
        'created_at' => null,
        'expires_at' => null,
        'expires_in_seconds' => null,
        'integration' => null,
        'minted_by' => null,
        'amount_verified' => null,
        'amount_verification_source' => null,
        'amount_verification_detail' => null,
        'hold' => Hold::class,
    ];
}

/**
 * A session in a list: as it is read, without items and metadata.
 *
 * @property-read string $id
 * @property-read 'requires_payment'|'processing'|'succeeded'|'declined'|'expired' $status
 * @property-read 'test'|'live' $mode
 * @property-read int $amount
 * @property-read string $currency
 * @property-read int|null $basket_total
 * @property-read int|null $tax_total
 * @property-read Customer|null $customer
 * @property-read int $attempt_count
 * @property-read Decline|null $last_decline
 * @property-read string|null $payment_id
 * @property-read 'awaiting_reconciliation'|null $settlement
 * @property-read string $created_at
 * @property-read string $expires_at
 * @property-read int $expires_in_seconds
 * @property-read string|null $integration
 * @property-read 'server'|'client'|null $minted_by
 * @property-read bool $amount_verified
 * @property-read string $amount_verification_source
 * @property-read string|null $amount_verification_detail
 * @property-read Hold|null $hold
 * @property-read string|null $order_reference
 */
final class ListedCheckoutSession extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'status' => null,
        'mode' => null,
        'amount' => null,
        'currency' => null,
        'basket_total' => null,
        'tax_total' => null,
        'customer' => Customer::class,
        'attempt_count' => null,
        'last_decline' => Decline::class,
        'payment_id' => null,
        'settlement' => null,
        'created_at' => null,
        'expires_at' => null,
        'expires_in_seconds' => null,
        'integration' => null,
        'minted_by' => null,
        'amount_verified' => null,
        'amount_verification_source' => null,
        'amount_verification_detail' => null,
        'hold' => Hold::class,
        'order_reference' => null,
    ];
}

/**
 * Part of Payment.
 *
 * @property-read 'Authenticated'|'Attempted'|'Failed' $outcome
 * @property-read bool $liability_shifted
 * @property-read string|null $eci
 */
final class PaymentAuthentication extends Answer
{
    protected const MEMBERS = [
        'outcome' => null,
        'liability_shifted' => null,
        'eci' => null,
    ];
}

/**
 * The outcome of one confirmed attempt.
 *
 * @property-read string $id
 * @property-read string|null $checkout_session_id
 * @property-read 'captured'|'held'|'voided'|'pending'|'declined'|'failed' $status
 * @property-read int $amount
 * @property-read int|null $captured_amount what was taken, where that is less than `amount`, which was authorised; else absent
 * @property-read string|null $currency
 * @property-read 'test'|'live' $mode
 * @property-read Decline|null $decline
 * @property-read PaymentAuthentication|null $authentication
 * @property-read string|null $acquirer_transaction_id
 * @property-read string $created_at
 * @property-read string|null $executed_at
 * @property-read bool $amount_verified
 * @property-read 'captured'|'authorised'|'voided'|null $capture_state
 * @property-read list<Item>|null $items
 * @property-read int|null $basket_total
 * @property-read int|null $tax_total
 * @property-read Customer|null $customer
 * @property-read array<string, string> $metadata as sent when the session was created
 * @property-read string|null $order_reference
 * @property-read int|null $order_reference_captured_payments captured payments with this order_reference, this one included: 2 or more are almost always a double payment; null without a reference
 * @property-read int|null $refunded_amount what was refunded, pending refunds included; absent where nothing was
 * @property-read int|null $pending_refund_amount what of `refunded_amount` is not given back yet; absent where no refund is pending
 * @property-read int|null $failed_refund_amount what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none
 * @property-read list<PaidOut>|null $payouts what its acquirer paid out for it, by the reports that were read; absent where none has it
 */
final class Payment extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'checkout_session_id' => null,
        'status' => null,
        'amount' => null,
        'captured_amount' => null,
        'currency' => null,
        'mode' => null,
        'decline' => Decline::class,
        'authentication' => PaymentAuthentication::class,
        'acquirer_transaction_id' => null,
        'created_at' => null,
        'executed_at' => null,
        'amount_verified' => null,
        'capture_state' => null,
        'items' => [Item::class],
        'basket_total' => null,
        'tax_total' => null,
        'customer' => Customer::class,
        'metadata' => null,
        'order_reference' => null,
        'order_reference_captured_payments' => null,
        'refunded_amount' => null,
        'pending_refund_amount' => null,
        'failed_refund_amount' => null,
        'payouts' => [PaidOut::class],
    ];
}

/**
 * A payment in a list: as it is read, without items, with its card.
 *
 * @property-read string $id
 * @property-read string|null $checkout_session_id
 * @property-read 'captured'|'held'|'voided'|'pending'|'declined'|'failed' $status
 * @property-read int $amount
 * @property-read int|null $captured_amount what was taken, where that is less than `amount`, which was authorised; else absent
 * @property-read string|null $currency
 * @property-read 'test'|'live' $mode
 * @property-read Decline|null $decline
 * @property-read PaymentAuthentication|null $authentication
 * @property-read string|null $acquirer_transaction_id
 * @property-read string $created_at
 * @property-read string|null $executed_at
 * @property-read bool $amount_verified
 * @property-read 'captured'|'authorised'|'voided'|null $capture_state
 * @property-read int|null $basket_total
 * @property-read int|null $tax_total
 * @property-read Customer|null $customer
 * @property-read array<string, string> $metadata as sent when the session was created
 * @property-read string|null $order_reference
 * @property-read int|null $order_reference_captured_payments among the newest 50 of the order reference
 * @property-read int|null $refunded_amount what was refunded, pending refunds included; absent where nothing was
 * @property-read int|null $pending_refund_amount what of `refunded_amount` is not given back yet; absent where no refund is pending
 * @property-read int|null $failed_refund_amount what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none
 * @property-read list<PaidOut>|null $payouts what its acquirer paid out for it, by the reports that were read; absent where none has it
 * @property-read Card|null $card
 */
final class ListedPayment extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'checkout_session_id' => null,
        'status' => null,
        'amount' => null,
        'captured_amount' => null,
        'currency' => null,
        'mode' => null,
        'decline' => Decline::class,
        'authentication' => PaymentAuthentication::class,
        'acquirer_transaction_id' => null,
        'created_at' => null,
        'executed_at' => null,
        'amount_verified' => null,
        'capture_state' => null,
        'basket_total' => null,
        'tax_total' => null,
        'customer' => Customer::class,
        'metadata' => null,
        'order_reference' => null,
        'order_reference_captured_payments' => null,
        'refunded_amount' => null,
        'pending_refund_amount' => null,
        'failed_refund_amount' => null,
        'payouts' => [PaidOut::class],
        'card' => Card::class,
    ];
}

/**
 * A payment that is or was held, with its hold.
 *
 * @property-read string $id
 * @property-read string|null $checkout_session_id
 * @property-read 'captured'|'held'|'voided'|'pending'|'declined'|'failed' $status
 * @property-read int $amount
 * @property-read int|null $captured_amount what was taken, where that is less than `amount`, which was authorised; else absent
 * @property-read string|null $currency
 * @property-read 'test'|'live' $mode
 * @property-read Decline|null $decline
 * @property-read PaymentAuthentication|null $authentication
 * @property-read string|null $acquirer_transaction_id
 * @property-read string $created_at
 * @property-read string|null $executed_at
 * @property-read bool $amount_verified
 * @property-read 'captured'|'authorised'|'voided'|null $capture_state
 * @property-read list<Item>|null $items
 * @property-read int|null $basket_total
 * @property-read int|null $tax_total
 * @property-read Customer|null $customer
 * @property-read array<string, string> $metadata as sent when the session was created
 * @property-read string|null $order_reference
 * @property-read int|null $order_reference_captured_payments captured payments with this order_reference, this one included: 2 or more are almost always a double payment; null without a reference
 * @property-read int|null $refunded_amount what was refunded, pending refunds included; absent where nothing was
 * @property-read int|null $pending_refund_amount what of `refunded_amount` is not given back yet; absent where no refund is pending
 * @property-read int|null $failed_refund_amount what was to be refunded, failed, and was not given back since; a refund that was tried again counts once; absent where none
 * @property-read list<PaidOut>|null $payouts what its acquirer paid out for it, by the reports that were read; absent where none has it
 * @property-read Hold $hold
 * @property-read 'awaiting_reconciliation'|null $settlement
 */
final class HeldPayment extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'checkout_session_id' => null,
        'status' => null,
        'amount' => null,
        'captured_amount' => null,
        'currency' => null,
        'mode' => null,
        'decline' => Decline::class,
        'authentication' => PaymentAuthentication::class,
        'acquirer_transaction_id' => null,
        'created_at' => null,
        'executed_at' => null,
        'amount_verified' => null,
        'capture_state' => null,
        'items' => [Item::class],
        'basket_total' => null,
        'tax_total' => null,
        'customer' => Customer::class,
        'metadata' => null,
        'order_reference' => null,
        'order_reference_captured_payments' => null,
        'refunded_amount' => null,
        'pending_refund_amount' => null,
        'failed_refund_amount' => null,
        'payouts' => [PaidOut::class],
        'hold' => Hold::class,
        'settlement' => null,
    ];
}

/**
 * Why a refund failed.
 *
 * @property-read string $code
 * @property-read string $reason
 */
final class RefundFailure extends Answer
{
    protected const MEMBERS = [
        'code' => null,
        'reason' => null,
    ];
}

/**
 * Money of a payment that is given back.
 *
 * @property-read string $id
 * @property-read string $payment_id
 * @property-read int $amount in minor units
 * @property-read string $currency
 * @property-read 'test'|'live' $mode
 * @property-read 'pending'|'succeeded'|'failed' $status
 * @property-read string|null $reason
 * @property-read RefundFailure|null $failure
 * @property-read string $created_at
 * @property-read string|null $settled_at
 */
final class Refund extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'payment_id' => null,
        'amount' => null,
        'currency' => null,
        'mode' => null,
        'status' => null,
        'reason' => null,
        'failure' => RefundFailure::class,
        'created_at' => null,
        'settled_at' => null,
    ];
}

/**
 * All refunds of a payment, newest first.
 *
 * @property-read list<Refund> $refunds
 */
final class RefundList extends Answer
{
    protected const MEMBERS = [
        'refunds' => [Refund::class],
    ];
}

/**
 * Money of a payment that the shopper’s bank wants back.
 *
 * @property-read string $id
 * @property-read string $payment_id
 * @property-read 'needs_response'|'under_review'|'won'|'lost'|'closed' $status
 * @property-read string|null $reason the acquirer’s words
 * @property-read int $amount in minor units; may be less than the payment
 * @property-read string $currency
 * @property-read 'test'|'live' $mode
 * @property-read string|null $respond_by until when you may respond, where the acquirer says it
 * @property-read string $opened_at
 * @property-read string|null $closed_at
 * @property-read string|null $vendor_url where you respond, at the acquirer
 */
final class Dispute extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'payment_id' => null,
        'status' => null,
        'reason' => null,
        'amount' => null,
        'currency' => null,
        'mode' => null,
        'respond_by' => null,
        'opened_at' => null,
        'closed_at' => null,
        'vendor_url' => null,
    ];
}

/**
 * An address by which shoppers pay one amount.
 *
 * @property-read string $id
 * @property-read string $url the address of its page
 * @property-read 'active'|'completed'|'expired'|'disabled' $status
 * @property-read 'test'|'live' $mode
 * @property-read int $amount in minor units
 * @property-read string $currency
 * @property-read list<Item>|null $items
 * @property-read string|null $order_reference
 * @property-read string|null $description
 * @property-read int|null $max_payments null for any number
 * @property-read int $payments_count payments that are captured, held or being charged
 * @property-read string $created_at
 * @property-read string|null $expires_at
 */
final class PaymentLink extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'url' => null,
        'status' => null,
        'mode' => null,
        'amount' => null,
        'currency' => null,
        'items' => [Item::class],
        'order_reference' => null,
        'description' => null,
        'max_payments' => null,
        'payments_count' => null,
        'created_at' => null,
        'expires_at' => null,
    ];
}

/**
 * What of a payment, or of a refund or dispute of it, was paid out. Amounts are in minor units.
 *
 * @property-read string $payout_id
 * @property-read 'payment'|'refund'|'dispute'|'fee' $kind
 * @property-read int $gross of a refund negative
 * @property-read int $fee
 * @property-read int $net gross less fee
 * @property-read string $currency the payout's
 * @property-read float|null $exchange_rate units of the payout's currency for one of the payment's; absent where they are the same
 * @property-read string|null $paid_on
 */
final class PaidOut extends Answer
{
    protected const MEMBERS = [
        'payout_id' => null,
        'kind' => null,
        'gross' => null,
        'fee' => null,
        'net' => null,
        'currency' => null,
        'exchange_rate' => null,
        'paid_on' => null,
    ];
}

/**
 * What an acquirer paid out at once, by its report. Amounts are in minor units.
 *
 * @property-read string $id
 * @property-read string $connection its label
 * @property-read string $vendor_id
 * @property-read string $currency
 * @property-read int $gross
 * @property-read int $fee
 * @property-read int $net gross less fee: what the bank got
 * @property-read string|null $paid_on
 * @property-read int $lines
 * @property-read int $findings lines that do not fit, and one where the sum is not what the vendor says it paid
 */
final class Payout extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'connection' => null,
        'vendor_id' => null,
        'currency' => null,
        'gross' => null,
        'fee' => null,
        'net' => null,
        'paid_on' => null,
        'lines' => null,
        'findings' => null,
    ];
}

/**
 * Where events are posted to.
 *
 * @property-read string $id
 * @property-read string $url
 * @property-read list<'payment.captured'|'payment.held'|'payment.voided'|'payment.declined'|'payment.failed'|'charge.dispute.closed'|'charge.dispute.created'|'charge.refunded'|'checkout.session.async_payment_failed'|'checkout.session.async_payment_succeeded'|'checkout.session.completed'|'checkout.session.expired'|'payment_intent.amount_capturable_updated'|'payment_intent.canceled'|'payment_intent.payment_failed'|'payment_intent.succeeded'|'refund.failed'> $event_filter
 * @property-read 'ripper'|'stripe'|null $event_format only where it is stripe
 * @property-read string|null $api_version of its events; only where event_format is stripe
 * @property-read true|null $standard_webhooks only where its deliveries have those headers
 * @property-read list<'refund.succeeded'|'refund.failed'|'dispute.opened'|'dispute.closed'>|null $extension_events only where it was sent
 * @property-read 'test'|'live'|null $mode only where it gets the events of one mode alone
 * @property-read 'active'|'disabled' $status
 * @property-read string $created_at
 */
final class WebhookEndpoint extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'url' => null,
        'event_filter' => null,
        'event_format' => null,
        'api_version' => null,
        'standard_webhooks' => null,
        'extension_events' => null,
        'mode' => null,
        'status' => null,
        'created_at' => null,
    ];
}

/**
 * A new endpoint. Only here it has its signing_secret.
 *
 * @property-read string $id
 * @property-read string $url
 * @property-read list<'payment.captured'|'payment.held'|'payment.voided'|'payment.declined'|'payment.failed'|'charge.dispute.closed'|'charge.dispute.created'|'charge.refunded'|'checkout.session.async_payment_failed'|'checkout.session.async_payment_succeeded'|'checkout.session.completed'|'checkout.session.expired'|'payment_intent.amount_capturable_updated'|'payment_intent.canceled'|'payment_intent.payment_failed'|'payment_intent.succeeded'|'refund.failed'> $event_filter
 * @property-read 'ripper'|'stripe'|null $event_format only where it is stripe
 * @property-read string|null $api_version of its events; only where event_format is stripe
 * @property-read true|null $standard_webhooks only where its deliveries have those headers
 * @property-read list<'refund.succeeded'|'refund.failed'|'dispute.opened'|'dispute.closed'>|null $extension_events only where it was sent
 * @property-read 'test'|'live'|null $mode only where it gets the events of one mode alone
 * @property-read 'active'|'disabled' $status
 * @property-read string $created_at
 * @property-read string $signing_secret
 * @property-read string|null $standard_signing_secret only with standard_webhooks
 */
final class WebhookEndpointCreated extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'url' => null,
        'event_filter' => null,
        'event_format' => null,
        'api_version' => null,
        'standard_webhooks' => null,
        'extension_events' => null,
        'mode' => null,
        'status' => null,
        'created_at' => null,
        'signing_secret' => null,
        'standard_signing_secret' => null,
    ];
}

/**
 * All active endpoints.
 *
 * @property-read list<WebhookEndpoint> $endpoints
 */
final class WebhookEndpointList extends Answer
{
    protected const MEMBERS = [
        'endpoints' => [WebhookEndpoint::class],
    ];
}

/**
 * One attempt to deliver an event.
 *
 * @property-read string $delivery_id
 * @property-read string|null $replay_of
 * @property-read string $merchant_id
 * @property-read string $event_id
 * @property-read string $event_type
 * @property-read int $attempt_number
 * @property-read 'succeeded'|'failed'|'dead_lettered'|'pending' $status
 * @property-read string $occurred_at
 * @property-read string|null $endpoint_url
 * @property-read int|null $response_status_code
 * @property-read string|null $response_body
 * @property-read string|null $next_retry_at
 * @property-read bool $replayable
 * @property-read string|null $replay_expires_at
 */
final class WebhookDelivery extends Answer
{
    protected const MEMBERS = [
        'delivery_id' => null,
        'replay_of' => null,
        'merchant_id' => null,
        'event_id' => null,
        'event_type' => null,
        'attempt_number' => null,
        'status' => null,
        'occurred_at' => null,
        'endpoint_url' => null,
        'response_status_code' => null,
        'response_body' => null,
        'next_retry_at' => null,
        'replayable' => null,
        'replay_expires_at' => null,
    ];
}

/**
 * A replay: a new delivery of a dead-lettered event.
 *
 * @property-read string $delivery_id
 * @property-read string $replay_of
 */
final class WebhookReplay extends Answer
{
    protected const MEMBERS = [
        'delivery_id' => null,
        'replay_of' => null,
    ];
}

/**
 * Part of WebhookEvent.
 *
 * @property-read string $payment_id
 * @property-read string|null $checkout_session_id
 * @property-read int $amount in minor units
 * @property-read string $currency
 * @property-read 'test'|'live' $mode
 * @property-read array<string, string>|null $metadata
 * @property-read bool|null $amount_verified
 * @property-read list<Item>|null $items
 * @property-read int|null $basket_total
 * @property-read int|null $tax_total
 * @property-read Customer|null $customer
 * @property-read string|null $order_reference
 * @property-read int|null $captured_amount what was taken, where that is less than `amount`, which was authorised; else null
 * @property-read 'captured'|'held'|'voided'|'declined'|'failed'|'succeeded'|'needs_response'|'under_review'|'won'|'lost'|'closed' $status
 * @property-read 'captured'|'authorised'|'voided'|null $capture_state
 * @property-read null|Decline $decline
 * @property-read Hold|null $hold null but for one that was held (sequence 2)
 * @property-read string|null $id
 * @property-read string|null $reason
 * @property-read null|RefundFailure $failure
 * @property-read string|null $created_at
 * @property-read string|null $settled_at
 * @property-read string|null $respond_by until when you may respond, where the acquirer says it
 * @property-read string|null $opened_at
 * @property-read null|string $closed_at
 * @property-read string|null $vendor_url where you respond, at the acquirer
 */
final class WebhookEventData extends Answer
{
    protected const MEMBERS = [
        'payment_id' => null,
        'checkout_session_id' => null,
        'amount' => null,
        'currency' => null,
        'mode' => null,
        'metadata' => null,
        'amount_verified' => null,
        'items' => [Item::class],
        'basket_total' => null,
        'tax_total' => null,
        'customer' => Customer::class,
        'order_reference' => null,
        'captured_amount' => null,
        'status' => null,
        'capture_state' => null,
        'decline' => Decline::class,
        'hold' => Hold::class,
        'id' => null,
        'reason' => null,
        'failure' => RefundFailure::class,
        'created_at' => null,
        'settled_at' => null,
        'respond_by' => null,
        'opened_at' => null,
        'closed_at' => null,
        'vendor_url' => null,
    ];
}

/**
 * The event of a webhook. Tell events apart by `type`. It has the members of all of them.
 *
 * @property-read string $id the same for every delivery of the event
 * @property-read 'payment.captured'|'payment.held'|'payment.voided'|'payment.declined'|'payment.failed'|'refund.succeeded'|'refund.failed'|'dispute.opened'|'dispute.closed' $type
 * @property-read string $created
 * @property-read '2026-09-01' $api_version
 * @property-read string $merchant_id
 * @property-read 1|2|int $sequence 1 for the outcome, 2 for the decision on a hold
 * @property-read WebhookEventData $data
 */
final class WebhookEvent extends Answer
{
    protected const MEMBERS = [
        'id' => null,
        'type' => null,
        'created' => null,
        'api_version' => null,
        'merchant_id' => null,
        'sequence' => null,
        'data' => WebhookEventData::class,
    ];
}
