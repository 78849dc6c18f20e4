<?php

/** The number of service requests since the start, from the memory that all of PHP-FPM's processes share. */

header('Content-Type: text/plain');
echo apcu_fetch('wstest.requests') ?: 0;
