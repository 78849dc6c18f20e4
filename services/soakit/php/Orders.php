<?php

declare(strict_types=1);

require_once __DIR__ . '/Documents.php';
require_once __DIR__ . '/Numbers.php';

/** TV Dinner: counts and adds up a purchase order, which SimpleXML makes objects of. */
final class Orders
{
    private const TYPE_OF = 'http://www.w3.org/2001/XMLSchema-instance';

    /** The acknowledgement of a ProcessPurchaseOrder, both as XML, or as parts. */
    public static function acknowledge(string $document, bool $isPart = false): string
    {
        $process = simplexml_import_dom(Documents::tree($document, Documents::ORDER, 'ProcessPurchaseOrder', $isPart));
        $content = $process->children(Documents::ORDER);
        $order = $content->DataArea->PurchaseOrder;
        $buyer = self::buyer($order?->Header?->Party ?? []);
        $lines = array_map(self::line(...), self::all($order->Line));

        $out = new XMLWriter();
        $out->openMemory();
        Documents::begin($out, 'o', Documents::ORDER, 'AcknowledgePurchaseOrder', $isPart);
        $out->writeElement('o:Original', self::text($content->ApplicationArea->DocumentId, 'DocumentId'));
        $out->startElement('o:DataArea');
        $out->startElement('o:Acknowledge');
        $out->writeElement('o:Response', $lines ? 'Accepted' : 'Empty');
        $out->endElement();
        $out->startElement('o:PurchaseOrder');
        $out->writeElement('o:OrderId', self::text($order->Header->OrderId, 'OrderId'));
        $out->writeElement('o:Buyer', self::text($buyer->Name, 'Name'));
        $out->writeElement('o:Priority', Documents::trimmed(self::text($order->Header->Priority, 'Priority')));
        $out->writeElement('o:Telephones', (string) count(self::all($buyer->Contact->Telephone)));
        foreach ($lines as $line) {
            $out->startElement('o:Line');
            foreach ($line as $name => $value) {
                $out->writeElement("o:$name", $value);
            }
            $out->endElement();
        }
        $amounts = array_column($lines, 'Amount');
        $out->writeElement('o:Amount', Numbers::written(array_reduce($amounts, Numbers::sum(...), '0')));
        $out->endDocument();
        return $out->outputMemory();
    }

    /** What the last party of the type has in the namespace of parties. */
    private static function buyer(iterable $parties): SimpleXMLElement
    {
        $buyer = null;
        foreach ($parties as $party) {
            if (self::isOf($party, Documents::COMMON, 'BuyerParty')) {
                $buyer = $party;
            }
        }
        return $buyer?->children(Documents::COMMON) ?? throw Documents::fault('the order has no buyer');
    }

    private static function line(SimpleXMLElement $line): array
    {
        $sublines = self::all($line->Subline);
        $kits = array_filter($sublines, static fn ($subline) => self::isOf($subline->Item, Documents::ORDER, 'KitItem'));
        $quantities = array_map(static fn ($subline) => self::decimal($subline->Quantity, 'Quantity'), $sublines);
        return [
            'LineNumber' => Numbers::integer(self::text($line->LineNumber, 'LineNumber')),
            'Sublines' => (string) count($sublines),
            'Kits' => (string) count($kits),
            'Quantity' => Numbers::written(array_reduce($quantities, Numbers::sum(...), '0')),
            'Amount' => Numbers::written(array_reduce(array_map(self::cost(...), $sublines), Numbers::sum(...), '0')),
        ];
    }

    /** Quantity times price, plus freights, less discounts. */
    private static function cost(SimpleXMLElement $subline): string
    {
        $price = self::decimal($subline->Price->Amount, 'Price');
        $cost = Numbers::product(self::decimal($subline->Quantity, 'Quantity'), $price);
        foreach ($subline->Freight as $freight) {
            $cost = Numbers::sum($cost, self::decimal($freight->Amount, 'Freight'));
        }
        foreach ($subline->Discount as $discount) {
            $cost = Numbers::difference($cost, self::decimal($discount->Amount, 'Discount'));
        }
        return $cost;
    }

    private static function decimal(?SimpleXMLElement $elements, string $name): string
    {
        return Numbers::decimal(self::text($elements, $name));
    }

    /** The text of an element that must be there once; SimpleXML has nothing, or something empty, for one that is not. */
    private static function text(?SimpleXMLElement $elements, string $name): string
    {
        if ($elements === null || $elements->count() !== 1) {
            throw Documents::fault("one $name is due");
        }
        return (string) $elements;
    }

    /** @return list<SimpleXMLElement> all elements of a name */
    private static function all(?SimpleXMLElement $elements): array
    {
        return $elements === null ? [] : iterator_to_array($elements, false);
    }

    /** Whether xsi:type names this type. */
    private static function isOf(?SimpleXMLElement $element, string $namespace, string $type): bool
    {
        $named = explode(':', Documents::trimmed((string) ($element?->attributes(self::TYPE_OF)['type'] ?? '')));
        if (array_pop($named) !== $type) {
            return false;
        }
        return dom_import_simplexml($element)->lookupNamespaceURI(array_pop($named)) === $namespace;
    }
}
