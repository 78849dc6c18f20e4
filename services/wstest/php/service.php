<?php

/** One SOAP request: it is counted, slowed down where a header asks for it, and answered by SoapServer. */

declare(strict_types=1);

require_once __DIR__ . '/WSTest.php';

apcu_inc('wstest.requests');
stay_busy((float) ($_SERVER['HTTP_STEELYARD_BUSY_US'] ?? 0));

$server = new SoapServer(__DIR__ . '/../contract/wstest.wsdl', [
    'cache_wsdl' => WSDL_CACHE_BOTH,
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
    'soap_version' => SOAP_1_1,
]);
$server->setClass(WSTest::class);
$server->handle();

/** Spins for so many microseconds of processor time. */
function stay_busy(float $micros): void
{
    if ($micros <= 0) {
        return;
    }
    $end = processor_micros() + $micros;
    while (processor_micros() < $end) {
    }
}

function processor_micros(): int
{
    $used = getrusage();
    return 1_000_000 * ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'])
        + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
}
