<?php

// Verifies that this service signed a webhook, with this body, not long ago.

declare(strict_types=1);

namespace Ripper;

final class Webhook
{
    /**
     * Returns the event of a webhook. Takes the body as it came, such as `file_get_contents('php://input')`, and the
     * endpoint's signing secret, or several while one is being rotated. Throws SignatureError.
     *
     * @param string|array<string, mixed> $headers all of them, `$_SERVER`, or the value of Rip-Signature alone
     * @param string|false|null|list<string|false|null> $secret
     * @param float $tolerance how many seconds the signature's time may differ from now, either way
     */
    public static function verify(
        string $raw_body,
        string|array $headers,
        #[\SensitiveParameter] string|false|null|array $secret,
        float $tolerance = 300,
        ?float $now = null,
    ): WebhookEvent {
        if (!($tolerance > 0) || is_infinite($tolerance)) {
            throw new UsageError('tolerance must be a number of seconds above 0.');
        }
        $secrets = self::validSecrets($secret);
        if ($raw_body === '') {
            throw new SignatureError('body_missing', "There is no body. Read it with file_get_contents('php://input').");
        }
        [$t, $signatures] = self::readHeader($headers);
        if (!self::matches($signatures, $secrets, $t, $raw_body)) {
            $compact = self::compact($raw_body);
            if ($compact !== null && self::matches($signatures, $secrets, $t, $compact)) {
                throw new SignatureError(
                    'body_changed',
                    'The body was parsed and written anew, with other white space. Pass the bytes as they came.',
                );
            }
            throw new SignatureError(
                'signature_mismatch',
                "The signature does not match the secret. Usually the secret is another endpoint's, or it was rotated. "
                . 'Otherwise the body is not byte for byte what came.',
            );
        }
        self::judgeTime((int) $t, $now ?? microtime(true), $tolerance);
        $event = json_decode($raw_body, true);
        if (!is_array($event) || !str_starts_with(ltrim($raw_body), '{')) {
            throw new SignatureError('body_not_json', 'The signature is right, but the body is not a JSON object.');
        }
        return new WebhookEvent($event);
    }

    /**
     * Makes a Rip-Signature for tests of a receiver. Several secrets sign as in a rotation.
     *
     * @param string|list<string> $secret
     */
    public static function generateTestHeader(
        string $body,
        #[\SensitiveParameter] string|array $secret,
        ?int $at = null,
    ): string {
        $t = (string) ($at ?? time());
        $signed = array_map(fn (string $each) => 'v1=' . self::signature($each, $t, $body), self::validSecrets($secret));
        return implode(',', ["t=$t", ...$signed]);
    }

    /** HMAC-SHA-256 of `<t>.<body>`, keyed with the whole secret. */
    private static function signature(#[\SensitiveParameter] string $secret, string $t, string $body): string
    {
        return hash_hmac('sha256', "$t.$body", $secret);
    }

    /** Compares every pair, even after one has matched, so that the time it takes reveals nothing. */
    private static function matches(
        array $signatures,
        #[\SensitiveParameter] array $secrets,
        string $t,
        string $body,
    ): bool {
        $is_one = false;
        foreach ($secrets as $secret) {
            $own = self::signature($secret, $t, $body);
            foreach ($signatures as $sent) {
                $is_one = hash_equals($own, $sent) || $is_one;
            }
        }
        return $is_one;
    }

    /** @return array{string, list<string>} */
    private static function readHeader(string|array $headers): array
    {
        $values = array_values(array_unique(self::valuesOf($headers)));
        if (trim(implode('', $values)) === '') {
            throw new SignatureError('header_missing', 'There is no Rip-Signature. Pass all headers of the request.');
        }
        if (count($values) > 1 || preg_match('/,\s*t=/', $values[0])) {
            throw new SignatureError('header_repeated', 'There is more than one Rip-Signature. A webhook has one.');
        }
        $parts = array_map('trim', explode(',', $values[0]));
        $signatures = [];
        foreach (array_slice($parts, 1) as $part) {
            if (preg_match('/^v1=([0-9a-f]{64})\z/', $part, $sent)) {
                $signatures[] = $sent[1];
            }
        }
        if (!preg_match('/^t=([0-9]{1,12})\z/', $parts[0], $t) || $signatures === []) {
            throw new SignatureError(
                'header_malformed',
                'Rip-Signature must read t=<unix seconds>,v1=<64 hexadecimal digits>. Pass it as it came.',
            );
        }
        return [$t[1], $signatures];
    }

    /** @return list<string> */
    private static function valuesOf(string|array $headers): array
    {
        if (is_string($headers)) {
            return [$headers];
        }
        $values = [];
        foreach ($headers as $name => $value) {
            if (in_array(strtolower((string) $name), ['rip-signature', 'http_rip_signature'], true)) {
                array_push($values, ...array_values((array) $value));
            }
        }
        return $values;
    }

    /** @return list<string> */
    private static function validSecrets(#[\SensitiveParameter] mixed $secret): array
    {
        $secrets = array_values(array_filter(is_array($secret) ? $secret : [$secret], fn ($each) => $each !== null));
        if ($secrets === []) {
            throw self::malformed('There is none. Is its environment variable set?');
        }
        foreach ($secrets as $each) {
            if (!is_string($each) || $each === '') {
                throw self::malformed('There is none. Is its environment variable set?');
            }
            if (trim($each) !== $each) {
                throw self::malformed('It has white space around it, perhaps a line break.');
            }
            if (preg_match('/^rip_[sp]k_/', $each)) {
                throw self::malformed('This is an API key.');
            }
            if (!str_starts_with($each, 'rip_whsec_')) {
                throw self::malformed('This one lacks the prefix, which is part of the secret.');
            }
        }
        return $secrets;
    }

    private static function malformed(string $fault): SignatureError
    {
        return new SignatureError(
            'secret_malformed',
            "The signing secret is the endpoint's signing_secret, rip_whsec_…, from the answer that created it. $fault",
        );
    }

    private static function judgeTime(int $t, float $now, float $tolerance): void
    {
        $age = $now - $t;
        if (abs($age) <= $tolerance) {
            return;
        }
        $far = (int) ceil(abs($age));
        if ($age > 0) {
            throw new SignatureError(
                'timestamp_too_old',
                "The webhook was signed $far s ago; $tolerance s are tolerated. Every attempt has a new signature.",
            );
        }
        throw new SignatureError(
            'timestamp_in_future',
            "The webhook was signed $far s from now; $tolerance s are tolerated. Is this machine's clock behind?",
        );
    }

    /** The service sends bodies without white space. */
    private static function compact(string $body): ?string
    {
        $value = json_decode($body);
        if ($value === null) {
            return null;
        }
        $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS;
        return json_encode($value, $flags) ?: null;
    }
}
