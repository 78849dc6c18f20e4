<?php

declare(strict_types=1);

/** A value that goes to the client as JSON, with a status and perhaps the address of what was made. */
final readonly class Answer
{
    public function __construct(public mixed $value, public int $status = 200, public ?string $location = null)
    {
    }

    public function send(): void
    {
        http_response_code($this->status);
        header('Content-Type: application/json');
        if ($this->location !== null) {
            header("Location: $this->location", true, $this->status);
        }
        echo json_encode($this->value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    }
}
