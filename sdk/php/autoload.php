<?php

// For shops without Composer: require this file.

declare(strict_types=1);

foreach (['errors', 'answer', 'types', 'sender', 'client', 'webhook'] as $name) {
    require_once __DIR__ . "/src/$name.php";
}
