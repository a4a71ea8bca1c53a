<?php

// What the service answers, as an object whose members are read as properties, and a list of such in pages.

declare(strict_types=1);

namespace Ripper;

/** Null is what the service sends as null, and what it does not send. */
abstract class Answer implements \JsonSerializable
{
    /** Each member's class, if it is an object, or a list of one. */
    protected const MEMBERS = [];

    /** @param array<string, mixed> $members */
    final public function __construct(private readonly array $members)
    {
    }

    public function __get(string $name): mixed
    {
        $value = $this->members[$name] ?? null;
        if ($value === null && !array_key_exists($name, static::MEMBERS) && !array_key_exists($name, $this->members)) {
            throw new UsageError(static::class . " has no member $name.");
        }
        $class = static::MEMBERS[$name] ?? null;
        if ($value === null || $class === null) {
            return $value;
        }
        return is_array($class) ? array_map(fn ($each) => new $class[0]($each), $value) : new $class($value);
    }

    public function __isset(string $name): bool
    {
        return isset($this->members[$name]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->members;
    }
}

/**
 * The first page of a list. A loop gives every row of every page, asked for when it gets there.
 *
 * @template Row of Answer
 * @implements \IteratorAggregate<int, Row>
 */
final class Pages implements \IteratorAggregate
{
    /** @var list<Row> */
    public readonly array $data;
    public readonly bool $has_more;
    public readonly ?string $next_cursor;

    /**
     * @param \Closure(array<string, mixed>): array<string, mixed> $read
     * @param class-string<Row> $class
     * @param array<string, mixed> $query
     */
    public function __construct(
        private readonly \Closure $read,
        private readonly string $class,
        private readonly array $query,
    ) {
        [$this->data, $this->has_more, $this->next_cursor] = $this->page($query);
    }

    public function getIterator(): \Generator
    {
        [$data, $has_more, $cursor] = [$this->data, $this->has_more, $this->next_cursor];
        while (true) {
            foreach ($data as $row) {
                yield $row;
            }
            if (!$has_more || $cursor === null) {
                return;
            }
            [$data, $has_more, $cursor] = $this->page(['after' => $cursor] + $this->query);
        }
    }

    /** @return array{list<Row>, bool, string|null} */
    private function page(array $query): array
    {
        ['data' => $data, 'has_more' => $has_more, 'next_cursor' => $cursor] = ($this->read)($query);
        return [array_map(fn (array $row) => new $this->class($row), $data), $has_more, $cursor];
    }
}
