<?php

/** The use cases answer as the contract says: php -d zend.assertions=1 DocumentsTest.php ends with 0. */

declare(strict_types=1);

require_once __DIR__ . '/Buffet.php';
require_once __DIR__ . '/News.php';
require_once __DIR__ . '/Orders.php';

const CONTRACT = __DIR__ . '/../contract/';

ini_set('assert.exception', '1');

/** The document that the body of a message is. */
function bare(string $file): string
{
    $document = new DOMDocument();
    $document->load(CONTRACT . $file);
    $content = $document->getElementsByTagNameNS('http://schemas.xmlsoap.org/soap/envelope/', 'Body')[0]->firstElementChild;
    return $document->saveXML($content);
}

/** The texts of a document's elements that hold no others. */
function texts(string $xml): array
{
    $document = new DOMDocument();
    $document->loadXML($xml);
    $leaves = (new DOMXPath($document))->query('//*[not(*)]');
    return array_map(static fn (DOMElement $leaf): string => $leaf->textContent, iterator_to_array($leaves));
}

function is_refused(callable $reader, string $document): bool
{
    try {
        $reader($document);
    } catch (SoapFault) {
        return true;
    }
    return false;
}

$readers = [
    'tv-dinner' => Orders::acknowledge(...),
    'sushi-boats' => News::digest(...),
    'buffet' => Buffet::validate(...),
];
foreach ($readers as $folder => $reader) {
    $request = bare("exchanges/$folder/bare.request.xml");
    assert(texts($reader($request)) === texts(bare("exchanges/$folder/bare.answer.xml")), $folder);
    foreach (['', ' ', 'no XML', "$request$request", "<!DOCTYPE any>$request", '<any/>', substr($request, 0, 99)] as $bad) {
        assert(is_refused($reader, $bad), "$folder: $bad");
    }
    $deep = str_repeat('<x>', 99) . str_repeat('</x>', 99);
    $end = strrpos($request, '</');
    foreach (["<x>$deep</x>", '<unbound:x/>'] as $inside) {
        assert(is_refused($reader, substr($request, 0, $end) . $inside . substr($request, $end)), "$folder: $inside");
    }
}

assert(Numbers::decimal(' -1.5 ') === '-1.5' && Numbers::integer('+007') === '7' && Numbers::written('2.500000') === '2.5');
foreach (['', '.', '1e3', 'NaN', '1.1234567', str_repeat('1', 41)] as $text) {
    assert(is_refused(Numbers::decimal(...), $text), $text);
}
