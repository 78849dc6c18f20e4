<?php

/** The number of service requests since the start. */

require_once __DIR__ . '/Requests.php';

header('Content-Type: text/plain');
echo Requests::counted();
