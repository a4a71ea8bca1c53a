<?php

// Does what the lines of its input say, for the table in sdk/vectors.json, and writes a line for each.

declare(strict_types=1);

require __DIR__ . '/../autoload.php';

function send(array $asked, array &$waits): mixed
{
    $ripper = new Ripper\Ripper(
        $asked['secret_key'],
        base_url: $asked['base_url'],
        timeout_seconds: $asked['timeout_ms'] / 1000,
        retries_max: $asked['retries_max'],
        sleep: function (float $seconds) use (&$waits): void {
            $waits[] = $seconds * 1000;
        },
    );
    $path = explode('.', $asked['call']);
    $method = array_pop($path);
    $owner = array_reduce($path, fn ($each, $name) => $each->$name, $ripper);
    $key = $asked['idempotency_key'] ?? null;
    $options = $key === null ? [] : ['options' => ['idempotency_key' => $key]];
    $part = isset($asked['amount']) ? ['amount' => $asked['amount']] : [];
    $answer = $owner->$method(...$asked['args'], ...$options, ...$part);
    return ($asked['rows'] ?? false) ? iterator_to_array($answer, false) : $answer;
}

function answerOf(array $request): array
{
    $waits = [];
    try {
        if (isset($request['verify'])) {
            ['body' => $body, 'headers' => $headers, 'secrets' => $secrets] = $request['verify'];
            $options = ['tolerance' => $request['verify']['tolerance'], 'now' => $request['verify']['now']];
            return ['value' => Ripper\Webhook::verify($body, $headers, $secrets, ...$options)];
        }
        return ['value' => send($request['send'], $waits), 'waits' => $waits];
    } catch (Ripper\RipperError $error) {
        $class = (new ReflectionClass($error))->getShortName();
        // What called the package has the key as its own argument.
        $frames = array_filter($error->getTrace(), fn ($frame) => str_starts_with($frame['class'] ?? '', 'Ripper\\'));
        $text = print_r([get_object_vars($error), $frames], true) . $error->getMessage();
        return [
            'error' => ['kind' => $class, 'message' => $error->getMessage(), 'text' => $text] + get_object_vars($error),
            'waits' => $waits,
        ];
    }
}

ini_set('zend.exception_ignore_args', '0');
while (($line = fgets(STDIN)) !== false) {
    fwrite(STDOUT, json_encode(answerOf(json_decode($line, true)), JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR) . "\n");
}
