<?php

// The errors that this package throws: no answer, a refusal, a webhook that cannot be trusted, a wrong call.

declare(strict_types=1);

namespace Ripper;

/** The base class of everything that this package throws. Branch on `code`, never on the message. */
class RipperError extends \Exception
{
    /** @var string */
    public $code;

    public function __construct(string $code, string $message)
    {
        parent::__construct($message);
        $this->code = $code;
    }
}

/**
 * The service refused the request. A refused create has created nothing, unless the status is 500 or above: then call
 * again with the same `idempotency_key`.
 */
final class ApiError extends RipperError
{
    /**
     * @param array<string, string> $headers with their names in lower case
     * @param string|null $request_id quote it to the people who run the service
     * @param string|null $field the JSON path of what is at fault in the request
     * @param list<string>|null $allowed the event types that exist, if `code` is `unknown_event_type`
     * @param string|null $idempotency_key what the request was sent with; null for a read
     */
    public function __construct(
        string $code,
        string $message,
        public readonly int $status,
        public readonly array $headers,
        public readonly ?string $request_id,
        public readonly ?string $field,
        public readonly ?array $allowed,
        public readonly ?int $retry_after_seconds,
        public readonly ?string $idempotency_key,
    ) {
        parent::__construct($code, $message);
    }
}

/**
 * No answer came, or only a part of one. The outcome is unknown: call again with the same `idempotency_key`, and the
 * service does it once.
 */
class ConnectionError extends RipperError
{
    public function __construct(
        string $message,
        public readonly ?string $idempotency_key,
        string $code = 'connection_failed',
    ) {
        parent::__construct($code, $message);
    }
}

/** No answer came in time. */
final class TimeoutError extends ConnectionError
{
    public function __construct(string $message, ?string $idempotency_key)
    {
        parent::__construct($message, $idempotency_key, 'timeout');
    }
}

/** A webhook cannot be trusted. */
final class SignatureError extends RipperError
{
}

/** An argument is wrong. Nothing was sent. */
final class UsageError extends RipperError
{
    public function __construct(string $message)
    {
        parent::__construct('wrong_usage', $message);
    }
}
