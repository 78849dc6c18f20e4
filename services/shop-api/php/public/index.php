<?php

/** The shop's front controller: nginx starts it for every path. */

declare(strict_types=1);

require_once __DIR__ . '/../Shop.php';

Shop::serve($_SERVER['REQUEST_METHOD'], $_SERVER['DOCUMENT_URI']);
