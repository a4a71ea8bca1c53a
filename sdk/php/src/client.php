<?php

// The client: every route that a merchant's server calls, as a method.

declare(strict_types=1);

namespace Ripper;

/**
 * Calls throw ApiError, ConnectionError or TimeoutError, and UsageError before anything is sent. Their last argument is
 * options: `timeout_seconds`, `retries_max`, and for calls that change something `idempotency_key`. The service
 * recognises a repetition by it, for 30 days; if you give none, each call makes its own, which covers only its tries.
 */
final class Ripper
{
    public readonly Checkout $checkout;
    public readonly Payments $payments;
    public readonly Refunds $refunds;
    public readonly PaymentLinks $payment_links;
    public readonly Disputes $disputes;
    public readonly Payouts $payouts;
    public readonly Events $events;
    public readonly Webhooks $webhooks;

    /**
     * @param string|false|null $base_url the service's address, such as https://pay.example.com, without /v1
     * @param (callable(float): mixed)|null $sleep for tests: waits between two tries
     */
    public function __construct(
        #[\SensitiveParameter] string|false|null $secret_key,
        string|false|null $base_url,
        float $timeout_seconds = 30.0,
        int $retries_max = 2,
        ?callable $sleep = null,
    ) {
        $sender = new Sender($secret_key, $base_url, $timeout_seconds, $retries_max, $sleep);
        $this->checkout = new Checkout($sender);
        $this->payments = new Payments($sender);
        $this->refunds = new Refunds($sender);
        $this->payment_links = new PaymentLinks($sender);
        $this->disputes = new Disputes($sender);
        $this->payouts = new Payouts($sender);
        $this->events = new Events($sender);
        $this->webhooks = new Webhooks($sender);
    }
}

/**
 * @phpstan-type CallOptions array{timeout_seconds?: float, retries_max?: int}
 * @phpstan-type WriteOptions array{idempotency_key?: string, timeout_seconds?: float, retries_max?: int}
 */
abstract class Resource
{
    public function __construct(protected readonly Sender $sender)
    {
    }

    /**
     * @template Row of Answer
     * @param class-string<Row> $class
     * @return Pages<Row>
     */
    protected function pages(string $path, string $class, array $query, array $options): Pages
    {
        return new Pages(fn (array $each) => $this->sender->send('GET', $path, $options, query: $each), $class, $query);
    }

    /** An id for a path, which must never contain a client secret. */
    protected static function id(string $prefix, string $id): string
    {
        $shape = $prefix === '' ? '/^[0-9a-f]{32}\z/' : "/^{$prefix}_[0-9A-Za-z]+\\z/";
        if (preg_match($shape, $id)) {
            return $id;
        }
        $words = $prefix === '' ? 'a delivery id' : "an id, {$prefix}_…";
        $hint = str_contains($id, '_secret_') ? ' This is a client secret. It must never be part of an address.' : '';
        throw new UsageError("The argument must be $words.$hint");
    }
}

final class Checkout
{
    public readonly CheckoutSessions $sessions;

    public function __construct(Sender $sender)
    {
        $this->sessions = new CheckoutSessions($sender);
    }
}

final class Webhooks
{
    public readonly WebhookEndpoints $endpoints;
    public readonly WebhookDeliveries $deliveries;

    public function __construct(Sender $sender)
    {
        $this->endpoints = new WebhookEndpoints($sender);
        $this->deliveries = new WebhookDeliveries($sender);
    }
}

/**
 * @phpstan-import-type CheckoutSessionCreate from Sent
 * @phpstan-import-type CheckoutSessionQuery from Sent
 * @phpstan-import-type CallOptions from Resource
 * @phpstan-import-type WriteOptions from Resource
 */
final class CheckoutSessions extends Resource
{
    /**
     * Creates a session. Give its `client_secret` to the shopper's browser.
     *
     * @param CheckoutSessionCreate $body
     * @param WriteOptions $options
     */
    public function create(array $body, array $options = []): CheckoutSessionCreated
    {
        return new CheckoutSessionCreated($this->sender->send('POST', '/v1/checkout/sessions', $options, body: $body));
    }

    /** @param CallOptions $options */
    public function retrieve(string $session_id, array $options = []): CheckoutSession
    {
        return new CheckoutSession(
            $this->sender->send('GET', '/v1/checkout/sessions/' . self::id('cs', $session_id), $options),
        );
    }

    /**
     * Ends an unpaid session at once, as if its time were over.
     *
     * @param WriteOptions $options
     */
    public function expire(string $session_id, array $options = []): CheckoutSession
    {
        $path = '/v1/checkout/sessions/' . self::id('cs', $session_id) . '/expire';
        return new CheckoutSession($this->sender->send('POST', $path, $options));
    }

    /**
     * Newest first.
     *
     * @param CheckoutSessionQuery $query
     * @param CallOptions $options
     * @return Pages<ListedCheckoutSession>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->pages('/v1/checkout/sessions', ListedCheckoutSession::class, $query, $options);
    }
}

/**
 * @phpstan-import-type PaymentQuery from Sent
 * @phpstan-import-type CallOptions from Resource
 * @phpstan-import-type WriteOptions from Resource
 */
final class Payments extends Resource
{
    /** @param CallOptions $options */
    public function retrieve(string $payment_id, array $options = []): Payment
    {
        return new Payment($this->sender->send('GET', '/v1/payments/' . self::id('pay', $payment_id), $options));
    }

    /**
     * Newest first.
     *
     * @param PaymentQuery $query
     * @param CallOptions $options
     * @return Pages<ListedPayment>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->pages('/v1/payments', ListedPayment::class, $query, $options);
    }

    /**
     * Takes the money of a held payment, or the `amount` of it that is named; the rest is released. If the answer has a `settlement`,
     * the outcome is not known yet.
     *
     * @param WriteOptions $options
     */
    public function capture(string $payment_id, array $options = [], ?int $amount = null): HeldPayment
    {
        return $this->decide('capture', $payment_id, $options, $amount === null ? null : ['amount' => $amount]);
    }

    /**
     * Releases a held payment: nothing is taken.
     *
     * @param WriteOptions $options
     */
    public function void(string $payment_id, array $options = []): HeldPayment
    {
        return $this->decide('void', $payment_id, $options);
    }

    /**
     * Marks a held payment as being looked at by a person. It still waits for a decision.
     *
     * @param WriteOptions $options
     */
    public function escalate(string $payment_id, array $options = []): HeldPayment
    {
        return $this->decide('escalate', $payment_id, $options);
    }

    private function decide(string $verb, string $payment_id, array $options, ?array $body = null): HeldPayment
    {
        $path = '/v1/payments/' . self::id('pay', $payment_id) . "/hold/$verb";
        return new HeldPayment($this->sender->send('POST', $path, $options, body: $body));
    }
}

/**
 * @phpstan-import-type RefundCreate from Sent
 * @phpstan-import-type CallOptions from Resource
 * @phpstan-import-type WriteOptions from Resource
 */
final class Refunds extends Resource
{
    /**
     * Refunds a captured payment; all that is left where the body names no amount.
     *
     * @param RefundCreate $body
     * @param WriteOptions $options
     */
    public function create(string $payment_id, array $body = [], array $options = []): Refund
    {
        $path = '/v1/payments/' . self::id('pay', $payment_id) . '/refunds';
        return new Refund($this->sender->send('POST', $path, $options, body: $body));
    }

    /** @param CallOptions $options */
    public function retrieve(string $refund_id, array $options = []): Refund
    {
        return new Refund($this->sender->send('GET', '/v1/refunds/' . self::id('ref', $refund_id), $options));
    }

    /**
     * All refunds of a payment, newest first.
     *
     * @param CallOptions $options
     */
    public function list(string $payment_id, array $options = []): RefundList
    {
        $path = '/v1/payments/' . self::id('pay', $payment_id) . '/refunds';
        return new RefundList($this->sender->send('GET', $path, $options));
    }
}

/**
 * @phpstan-import-type PaymentLinkCreate from Sent
 * @phpstan-import-type PaymentLinkQuery from Sent
 * @phpstan-import-type CallOptions from Resource
 * @phpstan-import-type WriteOptions from Resource
 */
final class PaymentLinks extends Resource
{
    /**
     * Makes an address by which shoppers pay one amount: the answer's `url`.
     *
     * @param PaymentLinkCreate $body
     * @param WriteOptions $options
     */
    public function create(array $body, array $options = []): PaymentLink
    {
        return new PaymentLink($this->sender->send('POST', '/v1/payment_links', $options, body: $body));
    }

    /** @param CallOptions $options */
    public function retrieve(string $payment_link_id, array $options = []): PaymentLink
    {
        $path = '/v1/payment_links/' . self::id('plink', $payment_link_id);
        return new PaymentLink($this->sender->send('GET', $path, $options));
    }

    /**
     * Newest first.
     *
     * @param PaymentLinkQuery $query
     * @param CallOptions $options
     * @return Pages<PaymentLink>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->pages('/v1/payment_links', PaymentLink::class, $query, $options);
    }

    /**
     * Withdraws a link for good: nobody can begin to pay by it any more.
     *
     * @param WriteOptions $options
     */
    public function disable(string $payment_link_id, array $options = []): PaymentLink
    {
        $path = '/v1/payment_links/' . self::id('plink', $payment_link_id) . '/disable';
        return new PaymentLink($this->sender->send('POST', $path, $options));
    }
}

/**
 * @phpstan-import-type DisputeQuery from Sent
 * @phpstan-import-type CallOptions from Resource
 */
final class Disputes extends Resource
{
    /** @param CallOptions $options */
    public function retrieve(string $dispute_id, array $options = []): Dispute
    {
        return new Dispute($this->sender->send('GET', '/v1/disputes/' . self::id('dsp', $dispute_id), $options));
    }

    /**
     * Newest first.
     *
     * @param DisputeQuery $query
     * @param CallOptions $options
     * @return Pages<Dispute>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->pages('/v1/disputes', Dispute::class, $query, $options);
    }
}

/**
 * @phpstan-import-type PayoutQuery from Sent
 * @phpstan-import-type CallOptions from Resource
 */
final class Payouts extends Resource
{
    /**
     * What acquirers paid out, by the reports that were read: those read last first.
     *
     * @param PayoutQuery $query
     * @param CallOptions $options
     * @return Pages<Payout>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->pages('/v1/payouts', Payout::class, $query, $options);
    }
}

/**
 * @phpstan-import-type EventQuery from Sent
 * @phpstan-import-type CallOptions from Resource
 */
final class Events extends Resource
{
    /**
     * Events as receivers get them, newest first, whether or not an endpoint was told.
     *
     * @param EventQuery $query
     * @param CallOptions $options
     * @return Pages<WebhookEvent>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->pages('/v1/events', WebhookEvent::class, $query, $options);
    }
}

/**
 * @phpstan-import-type WebhookEndpointCreate from Sent
 * @phpstan-import-type CallOptions from Resource
 * @phpstan-import-type WriteOptions from Resource
 */
final class WebhookEndpoints extends Resource
{
    /**
     * Keep the answer's `signing_secret`: it is never shown again.
     *
     * @param WebhookEndpointCreate $body
     * @param WriteOptions $options
     */
    public function create(array $body, array $options = []): WebhookEndpointCreated
    {
        return new WebhookEndpointCreated($this->sender->send('POST', '/v1/webhooks/endpoints', $options, body: $body));
    }

    /** @param CallOptions $options */
    public function list(array $options = []): WebhookEndpointList
    {
        return new WebhookEndpointList($this->sender->send('GET', '/v1/webhooks/endpoints', $options));
    }

    /** @param WriteOptions $options */
    public function delete(string $endpoint_id, array $options = []): void
    {
        $this->sender->send('DELETE', '/v1/webhooks/endpoints/' . self::id('whep', $endpoint_id), $options);
    }
}

/**
 * @phpstan-import-type WebhookDeliveryQuery from Sent
 * @phpstan-import-type CallOptions from Resource
 * @phpstan-import-type WriteOptions from Resource
 */
final class WebhookDeliveries extends Resource
{
    /**
     * One row for each attempt, newest first.
     *
     * @param WebhookDeliveryQuery $query
     * @param CallOptions $options
     * @return Pages<WebhookDelivery>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->pages('/v1/webhooks/deliveries', WebhookDelivery::class, $query, $options);
    }

    /**
     * Sends a dead-lettered delivery again, as a new delivery.
     *
     * @param WriteOptions $options
     */
    public function replay(string $delivery_id, array $options = []): WebhookReplay
    {
        $path = '/v1/webhooks/deliveries/' . self::id('', $delivery_id) . '/replay';
        return new WebhookReplay($this->sender->send('POST', $path, $options));
    }
}
