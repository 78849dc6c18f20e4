<?php

declare(strict_types=1);

/** What a service does with each request: it is counted, slowed down where a header asks for it, and, in SOAP, answered by SoapServer. */
final class Requests
{
    private const COUNT = 'requests'; // in the memory that all of PHP-FPM's processes share
    private const MOST_BUSY_MICROS = 1_000_000; // a header costs its sender nothing, so it must not cost the server much more

    /** The number of service requests since the start. */
    public static function counted(): int
    {
        return apcu_fetch(self::COUNT) ?: 0;
    }

    /** Counts the request that this script was started for, and keeps it busy; ends it where its header is no time up to a second. */
    public static function admit(): void
    {
        apcu_inc(self::COUNT);
        if (!self::stayBusy($_SERVER['HTTP_STEELYARD_BUSY_US'] ?? '0')) {
            http_response_code(400);
            exit('Steelyard-Busy-Us is a number of microseconds up to a million');
        }
    }

    /** Answers the request that this script was started for by the methods of an object, which a WSDL describes. */
    public static function answer(string $wsdl, object $operations, array $options = []): void
    {
        if ($_SERVER['REQUEST_METHOD'] === 'GET' && strtolower($_SERVER['QUERY_STRING']) === 'wsdl') {
            self::publish($wsdl);
            return;
        }
        self::admit();
        $server = new SoapServer($wsdl, $options + ['cache_wsdl' => WSDL_CACHE_BOTH, 'soap_version' => SOAP_1_1]);
        $server->setObject($operations);
        $server->handle();
    }

    /** The description with the address that it was asked at; SoapServer would give it as it stands. */
    private static function publish(string $wsdl): void
    {
        header('Content-Type: text/xml; charset=utf-8');
        echo preg_replace('~(?<=:address location="http://)[^/"]*~', $_SERVER['HTTP_HOST'], file_get_contents($wsdl));
    }

    /** Spins for so many microseconds of processor time; false, at once, where it is no time up to a second. */
    private static function stayBusy(string $micros): bool
    {
        if (!is_numeric($micros) || $micros < 0 || $micros > self::MOST_BUSY_MICROS) {
            return false;
        }
        if ($micros > 0) {
            $end = self::processorMicros() + $micros;
            while (self::processorMicros() < $end) {
            }
        }
        return true;
    }

    private static function processorMicros(): int
    {
        $used = getrusage();
        return 1_000_000 * ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'])
            + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
    }
}
