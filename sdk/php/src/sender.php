<?php

// Sends a call, and sends it again under the same key while that may help.

declare(strict_types=1);

namespace Ripper;

/** It alone holds the key. */
final class Sender
{
    private const ANSWER_MAX_BYTES = 8 * 1024 * 1024;
    private const RETRY_AFTER_MAX_SECONDS = 60;
    private const PASSING_STATUSES = [429, 500, 502, 503, 504];

    private readonly string $secret_key;
    private readonly string $base_url;
    /** @var \Closure(float): mixed */
    private readonly \Closure $sleep;

    public function __construct(
        #[\SensitiveParameter] mixed $secret_key,
        mixed $base_url,
        private readonly float $timeout_seconds,
        private readonly int $retries_max,
        ?callable $sleep,
    ) {
        $this->secret_key = self::validSecretKey($secret_key);
        $this->base_url = self::validBaseUrl($base_url);
        $this->limitsOf([]);
        $this->sleep = \Closure::fromCallable($sleep ?? fn (float $seconds) => usleep((int) ($seconds * 1e6)));
    }

    public function __debugInfo(): array
    {
        return ['base_url' => $this->base_url];
    }

    /**
     * The body of a success; null if it is meant to be empty, as after a deletion.
     *
     * @param array<string, mixed> $options
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     */
    public function send(string $method, string $path, array $options, array $query = [], ?array $body = null): ?array
    {
        [$timeout_seconds, $retries_max] = $this->limitsOf($options);
        $given = $options['idempotency_key'] ?? null;
        $key = $method === 'GET' ? null : ($given === null ? self::newKey() : self::validKey($given));
        $payload = $body === null ? null : self::written($body);
        $target = $path . self::queryText($query);
        for ($tries = 1; ; $tries++) {
            try {
                [$status, $headers, $text] = $this->attempt($method, $target, $payload, $key, $timeout_seconds);
                return self::bodyOf($status, $headers, $text, $key, $method === 'DELETE');
            } catch (RipperError $error) {
                $chance = mt_rand() / mt_getrandmax();
                $wait = self::delayBeforeRetry($error, $tries, $retries_max, $chance, $given === null);
                if ($wait === null) {
                    throw $error;
                }
            }
            ($this->sleep)($wait);
        }
    }

    /**
     * One try. It follows no redirect: the key would go to wherever that leads.
     *
     * @return array{int, array<string, string>, string|null} the text is null if it was too large
     */
    private function attempt(string $method, string $target, ?string $payload, ?string $key, float $timeout_seconds): array
    {
        $headers = [];
        $text = '';
        $curl = curl_init($this->base_url . $target);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => [
                'Accept: application/json',
                'User-Agent: ripper-checkout/php',
                // Without this, curl asks first whether it may send a larger body.
                'Expect:',
                "X-Service-Api-Key: $this->secret_key",
                ...($key === null ? [] : ["Rip-Idempotency-Key: $key"]),
                ...($payload === null ? [] : ['Content-Type: application/json']),
            ],
            CURLOPT_TIMEOUT_MS => max(1, (int) ($timeout_seconds * 1000)),
            CURLOPT_NOSIGNAL => true,
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$headers): int {
                [$name, $value] = explode(':', $line, 2) + [1 => null];
                if ($value !== null) {
                    $headers[strtolower($name)] = trim($value);
                }
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => function ($_, string $part) use (&$text): int {
                $text .= $part;
                return strlen($text) > self::ANSWER_MAX_BYTES ? 0 : strlen($part);
            },
        ]);
        if ($method !== 'GET') {
            curl_setopt($curl, CURLOPT_POSTFIELDS, $payload ?? '');
        }
        curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if (strlen($text) > self::ANSWER_MAX_BYTES) {
            return [$status, $headers, null];
        }
        $failed = "No complete answer came to $method " . strtok($target, '?');
        if (curl_errno($curl) === CURLE_OPERATION_TIMEDOUT) {
            throw new TimeoutError("$failed within $timeout_seconds s. " . self::advice($key), $key);
        }
        if (curl_errno($curl) !== 0) {
            throw new ConnectionError("$failed (" . curl_error($curl) . '). ' . self::advice($key), $key);
        }
        if ($status >= 200 && $status < 300 && str_starts_with(ltrim($text), '{') && self::parsed($text) === null) {
            throw new ConnectionError("$failed (its body ends too early). " . self::advice($key), $key);
        }
        return [$status, $headers, $text];
    }

    /**
     * The wait before the next try in seconds; null if there must be no next try. Every call is safe to repeat: reads
     * change nothing, and writes carry a key. So only the error decides.
     */
    private static function delayBeforeRetry(
        RipperError $error,
        int $tries,
        int $retries_max,
        float $chance,
        bool $key_is_own,
    ): ?float {
        if ($tries > $retries_max || !self::isPassing($error, $tries > 1 && $key_is_own)) {
            return null;
        }
        $backoff = min(0.5 * 2 ** ($tries - 1), 8.0);
        // From half of the backoff to all of it, so that clients that failed together do not come back together.
        $jittered = $backoff * (0.5 + $chance / 2);
        $wanted = $error instanceof ApiError ? $error->retry_after_seconds ?? 0 : 0;
        return $wanted > self::RETRY_AFTER_MAX_SECONDS ? null : max($jittered, (float) $wanted);
    }

    /** `idempotency_key_reused` ends by itself only if this very call sent the key before: its first request still runs. */
    private static function isPassing(RipperError $error, bool $sent_before): bool
    {
        if ($error instanceof ConnectionError) {
            return true;
        }
        if (!$error instanceof ApiError || $error->code === 'response_too_large') {
            return false;
        }
        if ($error->code === 'idempotency_key_reused') {
            return $sent_before;
        }
        return in_array($error->status, self::PASSING_STATUSES, true) || $error->code === 'idempotency_key_in_use';
    }

    /** @param array<string, string> $headers */
    private static function bodyOf(int $status, array $headers, ?string $text, ?string $key, bool $is_empty): ?array
    {
        $body = self::parsed($text ?? '');
        if ($status >= 200 && $status < 300) {
            if ($status === 204 && $is_empty) {
                return null;
            }
            if ($body !== null) {
                return $body;
            }
        }
        [$code, $message] = self::refusal($status, $text, $body);
        throw new ApiError(
            $code,
            $message,
            status: $status,
            headers: $headers,
            request_id: $headers['rip-request-id'] ?? self::textOf($body, 'request_id'),
            field: $headers['rip-error-field'] ?? null,
            allowed: is_array($body['allowed'] ?? null) ? $body['allowed'] : null,
            retry_after_seconds: self::retryAfter($headers['retry-after'] ?? null),
            idempotency_key: $key,
        );
    }

    /** @return array{string, string} */
    private static function refusal(int $status, ?string $text, ?array $body): array
    {
        if ($text === null) {
            return ['response_too_large', "The answer (status $status) is too large."];
        }
        if ($status >= 400) {
            $code = self::textOf($body, 'error') ?? self::textOf($body, 'code');
            if ($code !== null) {
                return [$code, self::textOf($body, 'message') ?: "The service refused: $code."];
            }
            if ($status === 429) {
                return ['rate_limit_exceeded', substr(trim($text), 0, 200) ?: 'Too many requests.'];
            }
        }
        if ($status >= 300 && $status < 400) {
            return ['unexpected_response', 'The answer is a redirect. It was not followed, because the key would go with it. '
                . 'Make base_url the address that it leads to.'];
        }
        return ['unexpected_response', "The answer (status $status) does not come from this API. Is base_url right? "
            . 'Is a proxy in between?'];
    }

    private static function retryAfter(?string $header): ?int
    {
        if ($header === null) {
            return null;
        }
        if (preg_match('/^[0-9]{1,9}\z/', $header)) {
            return (int) $header;
        }
        $at = \DateTimeImmutable::createFromFormat(DATE_RFC7231, $header);
        return $at === false ? null : max(0, $at->getTimestamp() - time());
    }

    /** JSON that is an object, as every body of this API is. */
    private static function parsed(string $text): ?array
    {
        $body = json_decode($text, true);
        return is_array($body) && str_starts_with(ltrim($text), '{') ? $body : null;
    }

    private static function textOf(?array $body, string $name): ?string
    {
        $value = $body[$name] ?? null;
        return is_string($value) ? $value : null;
    }

    private static function advice(?string $key): string
    {
        if ($key === null) {
            return 'It was a read: it can be sent again.';
        }
        return 'Its outcome is unknown. Send it again with the same idempotency_key, which this error carries: '
            . 'the service does it once.';
    }

    /** @param array<string, mixed> $body */
    private static function written(array $body): string
    {
        try {
            return json_encode(self::withMaps($body), JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        } catch (\JsonException) {
            throw new UsageError('The body cannot be written as JSON.');
        }
    }

    /** PHP would write an empty array as a list, even where an object is due. */
    private static function withMaps(array $body): object
    {
        foreach (['customer', 'metadata'] as $name) {
            if (is_array($body[$name] ?? null)) {
                $body[$name] = self::withMaps($body[$name]);
            }
        }
        return (object) $body;
    }

    /** @param array<string, mixed> $query */
    private static function queryText(array $query): string
    {
        foreach ($query as $name => $value) {
            if ($value !== null && !is_scalar($value)) {
                throw new UsageError("$name must be a text or a number.");
            }
        }
        $words = array_map(fn ($value) => is_bool($value) ? ($value ? 'true' : 'false') : $value, $query);
        $text = http_build_query($words);
        return $text === '' ? '' : "?$text";
    }

    /**
     * @param array<string, mixed> $options
     * @return array{float, int}
     */
    private function limitsOf(array $options): array
    {
        $unknown = array_diff(array_keys($options), ['idempotency_key', 'timeout_seconds', 'retries_max']);
        if ($unknown !== []) {
            throw new UsageError(implode(', ', $unknown) . ' is not an option: idempotency_key, timeout_seconds, retries_max.');
        }
        $timeout_seconds = $options['timeout_seconds'] ?? $this->timeout_seconds;
        $retries_max = $options['retries_max'] ?? $this->retries_max;
        if (!(is_int($timeout_seconds) || is_float($timeout_seconds)) || !($timeout_seconds > 0)) {
            throw new UsageError('timeout_seconds must be a number above 0.');
        }
        if (!is_int($retries_max) || $retries_max < 0 || $retries_max > 10) {
            throw new UsageError('retries_max must be a whole number from 0 to 10.');
        }
        return [(float) $timeout_seconds, $retries_max];
    }

    private static function validKey(mixed $key): string
    {
        if (!is_string($key) || !preg_match('/^[ -~]{1,255}\z/', $key) || trim($key) !== $key) {
            throw new UsageError('idempotency_key must be 1 to 255 printable ASCII characters, without white space around them.');
        }
        return $key;
    }

    /** Throws UsageError, which does not quote the key. */
    private static function validSecretKey(#[\SensitiveParameter] mixed $key): string
    {
        if (!is_string($key) || $key === '') {
            throw new UsageError('There is no secret key. Is its environment variable set?');
        }
        if (trim($key) !== $key) {
            throw new UsageError('The secret key has white space around it, perhaps a line break.');
        }
        if (str_starts_with($key, 'rip_pk_')) {
            throw new UsageError('This is a publishable key. A server needs the secret key: rip_sk_….');
        }
        if (!preg_match('/^rip_sk_[0-9A-Za-z]+\z/', $key)) {
            throw new UsageError('The secret key must be rip_sk_ followed by letters and digits.');
        }
        return $key;
    }

    /** The address without the slash at its end. Throws UsageError, which does not quote it. */
    private static function validBaseUrl(mixed $base_url): string
    {
        $example = 'such as https://pay.example.com';
        if (!is_string($base_url) || $base_url === '') {
            throw new UsageError("base_url is required: where your Ripper Checkout is, $example.");
        }
        $url = parse_url($base_url);
        if (!isset($url['host']) || !in_array($url['scheme'] ?? '', ['http', 'https'], true)) {
            throw new UsageError("base_url must be an absolute http or https address, $example.");
        }
        if (isset($url['user']) || isset($url['query']) || isset($url['fragment'])) {
            throw new UsageError('base_url must have no user information, query or fragment.');
        }
        $address = rtrim($base_url, '/');
        if (str_ends_with($address, '/v1')) {
            throw new UsageError('base_url must not end with /v1, which is added.');
        }
        return $address;
    }

    private static function newKey(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
