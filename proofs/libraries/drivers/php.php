<?php
// Makes the calls that come as lines of JSON through stripe-php: `php php.php FOLDER BASE_URL`.

[, $folder, $base_url] = $argv;
require is_file("$folder/init.php") ? "$folder/init.php" : "$folder/vendor/autoload.php";
\Stripe\Stripe::setMaxNetworkRetries(2);
// The next page of a list goes to this address, whatever the client was given.
\Stripe\Stripe::$apiBase = $base_url;

function camel(string $name): string
{
    return lcfirst(str_replace('_', '', ucwords($name, '_')));
}

function run(array $step): array
{
    global $base_url;
    ['call' => $call, 'params' => $params, 'options' => $options] = $step + ['params' => [], 'options' => []];
    if ($call === 'library') {
        return ['version' => \Stripe\Stripe::VERSION, 'api_version' => \Stripe\Util\ApiVersion::CURRENT];
    }
    if ($call === 'webhooks.construct_event') {
        ['payload' => $payload, 'signature' => $signature, 'secret' => $secret] = $params;
        return \Stripe\Webhook::constructEvent($payload, $signature, $secret)->toArray();
    }
    $client = new \Stripe\StripeClient(['api_key' => $step['key'] ?? 'none', 'api_base' => $base_url]);
    $is_list = str_ends_with($call, '.list');
    $names = explode('.', preg_replace(['/line_items\.list$/', '/\.list$/'], ['all_line_items', '.all'], $call));
    $method = camel(array_pop($names));
    $service = $client;
    foreach ($names as $name) {
        $service = $service->{camel($name)};
    }
    $ids = isset($step['id']) ? [$step['id']] : [];
    $given = $service->{$method}(...[...$ids, $params, $options]);
    if (!$is_list) {
        return $given->toArray();
    }
    $all = [];
    foreach ($given->autoPagingIterator() as $each) {
        $all[] = $each->toArray();
    }
    return $all;
}

function answerTo(array $step): array
{
    try {
        return ['object' => run($step)];
    } catch (\Stripe\Exception\SignatureVerificationException $error) {
        return ['error' => ['class' => 'SignatureVerificationException', 'message' => $error->getMessage()]];
    } catch (\Stripe\Exception\ApiErrorException $error) {
        return ['error' => [
            'class' => (new ReflectionClass($error))->getShortName(),
            'code' => $error->getStripeCode(),
            'param' => $error->getError()->param ?? null,
            'status' => $error->getHttpStatus(),
            'type' => $error->getError()->type ?? null,
            'message' => $error->getMessage(),
            'request_id' => $error->getRequestId(),
        ]];
    }
}

while (($line = fgets(STDIN)) !== false) {
    echo json_encode(answerTo(json_decode($line, true))), "\n";
}
