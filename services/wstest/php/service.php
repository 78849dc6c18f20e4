<?php

/** One SOAP request: it is counted, slowed down where a header asks for it, and answered by SoapServer. */

declare(strict_types=1);

require_once __DIR__ . '/WSTest.php';

const MOST_BUSY_MICROS = 1_000_000; // a header costs its sender nothing, so it must not cost the server much more

apcu_inc('wstest.requests');
if (!stay_busy($_SERVER['HTTP_STEELYARD_BUSY_US'] ?? '0')) {
    http_response_code(400);
    exit('Steelyard-Busy-Us is a number of microseconds up to a million');
}

$server = new SoapServer(__DIR__ . '/../contract/wstest.wsdl', [
    'cache_wsdl' => WSDL_CACHE_BOTH,
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
    'soap_version' => SOAP_1_1,
]);
$server->setClass(WSTest::class);
$server->handle();

/** Spins for so many microseconds of processor time; false, at once, where it is no time up to a second. */
function stay_busy(string $micros): bool
{
    if (!is_numeric($micros) || $micros < 0 || $micros > MOST_BUSY_MICROS) {
        return false;
    }
    if ($micros > 0) {
        $end = processor_micros() + $micros;
        while (processor_micros() < $end) {
        }
    }
    return true;
}

function processor_micros(): int
{
    $used = getrusage();
    return 1_000_000 * ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'])
        + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
}
