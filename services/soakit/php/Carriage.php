<?php

declare(strict_types=1);

require_once __DIR__ . '/../../common/php/Requests.php';
require_once __DIR__ . '/Documents.php';

/** How documents are carried: SoapServer reads messages by the WSDL, but hands over and takes the kit's documents as XML. */
final class Carriage
{
    private const DOCUMENTS = [
        Documents::ORDER => ['ProcessPurchaseOrderDocument', 'AcknowledgePurchaseOrderDocument'],
        Documents::NEWS => ['NewsPostingDocument', 'NewsDigestDocument'],
        Documents::BUFFET => ['OrderDocument', 'ValidationDocument'],
    ];

    /** Answers the request that this script was started for by an object's methods. */
    public static function answer(object $operations): void
    {
        Requests::answer(__DIR__ . '/../contract/soakit.wsdl', $operations, ['typemap' => self::asXml()]);
    }

    /** The same by rpc/literal, which has a description of its own. */
    public static function answerRpc(object $operations): void
    {
        Requests::answer(__DIR__ . '/../contract/soakit-rpc.wsdl', $operations, ['typemap' => self::asXml()]);
    }

    /** The types of the schema that SoapServer's binding does not read or write. */
    private static function asXml(): array
    {
        $asItStands = static fn (string $xml): string => $xml;
        $map = [];
        foreach (self::DOCUMENTS as $namespace => $types) {
            foreach ($types as $type) {
                $map[] = ['type_ns' => $namespace, 'type_name' => $type, 'from_xml' => $asItStands, 'to_xml' => $asItStands];
            }
        }
        return $map;
    }
}
