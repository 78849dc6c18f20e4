<?php

declare(strict_types=1);

/** Why a request is refused: the code is the status. */
final class Refusal extends RuntimeException
{
    public static function notValid(): self
    {
        return new self('not valid', 400);
    }

    public static function notFound(): self
    {
        return new self('not found', 404);
    }

    public static function outOfStock(): self
    {
        return new self('out of stock', 409);
    }

    public static function otherMediaType(): self
    {
        return new self('not valid', 415);
    }
}
