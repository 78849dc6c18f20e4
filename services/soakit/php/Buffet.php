<?php

declare(strict_types=1);

require_once __DIR__ . '/Documents.php';

/** The Buffet: every element of an order, which is a tree (DOM), is checked by its rule. */
final class Buffet
{
    private const HEADER = ['OrderNumber', 'Customer', 'Mail', 'Country', 'Currency', 'OrderDate'];
    private const PART = ['Number', 'Sku', 'Description', 'Quantity', 'Unit', 'UnitPrice', 'Total', 'NeededBy', 'Warehouse'];

    private const COUNTRIES = ['AT', 'CA', 'CH', 'DE', 'FR', 'GB', 'IT', 'JP', 'PL', 'US'];
    private const CURRENCIES = ['CHF', 'EUR', 'GBP', 'JPY', 'USD'];
    private const UNITS = ['each', 'box', 'kilogram', 'litre', 'metre'];
    private const FORMS = [
        'OrderNumber' => '/^ORD-[0-9]{8}$/D',
        'Mail' => '/^[A-Za-z0-9._-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/D',
        'Sku' => '/^[A-Z]{3}-[0-9]{5}$/D',
        'Quantity' => '/^[1-9][0-9]{0,3}$/D',
        'UnitPrice' => '/^[0-9]{1,6}\.[0-9]{2}$/D',
        'Total' => '/^[0-9]{1,10}\.[0-9]{2}$/D',
        'Warehouse' => '/^W[0-9]{2}$/D',
    ];

    /** The validation of an Order, both as XML. */
    public static function validate(string $document): string
    {
        return self::validation(Documents::tree($document, Documents::BUFFET, 'Order'), false);
    }

    /** The validation of the Order that the request holds as XML: SoapServer keeps no text of white space alone. */
    public static function validateMessage(bool $isPart = false): string
    {
        return self::validation(Documents::treeInMessage(Documents::BUFFET, 'Order', $isPart), $isPart);
    }

    private static function validation(DOMElement $order, bool $isPart): string
    {
        $children = self::children($order);
        $header = $children['Header'][0] ?? null;
        $parts = $children['Parts'][0] ?? null;
        if ($header === null || $parts === null) {
            throw Documents::fault('the order lacks its header or its parts');
        }
        $head = self::texts($header, self::HEADER);
        $parts = array_map(static fn ($part) => self::texts($part, self::PART), self::children($parts)['Part'] ?? []);

        $out = new XMLWriter();
        $out->openMemory();
        Documents::begin($out, 'b', Documents::BUFFET, 'Validation', $isPart);
        $out->writeElement('b:OrderNumber', $head['OrderNumber']);
        $out->writeElement('b:Customer', $head['Customer']);
        $out->writeElement('b:Parts', (string) count($parts));
        self::writeBroken($out, 0, $head, $head['OrderDate']);
        foreach ($parts as $index => $part) {
            self::writeBroken($out, $index + 1, $part, $head['OrderDate']);
        }
        $out->endDocument();
        return $out->outputMemory();
    }

    /** @return array<string, list<DOMElement>> the elements within another, by name */
    private static function children(DOMElement $element): array
    {
        $children = [];
        for ($child = $element->firstElementChild; $child !== null; $child = $child->nextElementSibling) {
            if ($child->namespaceURI === Documents::BUFFET) {
                $children[$child->localName][] = $child;
            }
        }
        return $children;
    }

    /** The texts of the elements that have rules; a missing one counts as empty. */
    private static function texts(DOMElement $element, array $names): array
    {
        $children = self::children($element);
        $texts = [];
        foreach ($names as $name) {
            $texts[$name] = isset($children[$name]) ? $children[$name][0]->textContent : '';
        }
        return $texts;
    }

    private static function writeBroken(XMLWriter $out, int $place, array $texts, string $ordered): void
    {
        foreach ($texts as $name => $text) {
            if (!self::holds($name, $text, $texts, $place, $ordered)) {
                $out->startElement('b:Violation');
                $out->writeElement('b:Part', (string) $place);
                $out->writeElement('b:Element', $name);
                $out->writeElement('b:Value', $text);
                $out->endElement();
            }
        }
    }

    private static function holds(string $name, string $text, array $texts, int $place, string $ordered): bool
    {
        return match ($name) {
            'Customer' => self::isText($text, 40),
            'Description' => self::isText($text, 80),
            'Country' => in_array($text, self::COUNTRIES, true),
            'Currency' => in_array($text, self::CURRENCIES, true),
            'Unit' => in_array($text, self::UNITS, true),
            'OrderDate' => self::isDay($text),
            'Number' => $text === (string) $place,
            'Total' => self::isTotal($text, $texts['Quantity'], $texts['UnitPrice']),
            'NeededBy' => self::isDay($text) && (!self::isDay($ordered) || strcmp($text, $ordered) >= 0),
            default => self::isFormed($name, $text),
        };
    }

    private static function isFormed(string $name, string $text): bool
    {
        return preg_match(self::FORMS[$name], $text) === 1;
    }

    private static function isText(string $text, int $most): bool
    {
        return iconv_strlen($text, 'UTF-8') <= $most && trim($text, ' ') !== '';
    }

    /** Whether the total is quantity times unit price, which is not asked where one of these breaks its own rule. */
    private static function isTotal(string $text, string $quantity, string $price): bool
    {
        if (!self::isFormed('Total', $text)) {
            return false;
        }
        if (!self::isFormed('Quantity', $quantity) || !self::isFormed('UnitPrice', $price)) {
            return true;
        }
        return (int) $quantity * self::cents($price) === self::cents($text);
    }

    private static function cents(string $amount): int
    {
        return (int) str_replace('.', '', $amount);
    }

    /** Whether it is a day of the years 2000 to 2099. */
    private static function isDay(string $text): bool
    {
        return preg_match('/^(20[0-9]{2})-([0-9]{2})-([0-9]{2})$/D', $text, $day)
            && checkdate((int) $day[2], (int) $day[3], (int) $day[1]);
    }
}
