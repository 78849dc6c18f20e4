<?php

declare(strict_types=1);

/** Reading documents that somebody sent: what is not well-formed, nests too deep or has a document type is a fault. */
final class Documents
{
    public const ORDER = 'urn:steelyard:soakit:order';
    public const COMMON = 'urn:steelyard:soakit:common';
    public const NEWS = 'urn:steelyard:soakit:news';
    public const BUFFET = 'urn:steelyard:soakit:buffet';

    private const PART = 'document'; // of a message by rpc/literal, in no namespace

    private const SERVICE = 'urn:steelyard:soakit';
    private const ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';
    private const MOST_DEPTH = 100;
    private const WHITE_SPACE = " \t\r\n";

    /** The root of a document, which must be this element, or else a part, as a tree. */
    public static function tree(string $xml, string $namespace, string $name, bool $isPart = false): DOMElement
    {
        return self::checked(self::loaded($xml)->documentElement, $namespace, $name, $isPart);
    }

    /** The document that the request holds as XML, which must be this element, in the tree of the whole message. */
    public static function treeInMessage(string $namespace, string $name, bool $isPart): DOMElement
    {
        $message = self::loaded(file_get_contents('php://input'));
        $body = $message->getElementsByTagNameNS(self::ENVELOPE, 'Body')->item(0);
        $content = $body?->firstElementChild;
        $wrapped = $content?->namespaceURI === self::SERVICE;
        return self::checked($wrapped ? $content->firstElementChild : $content, $namespace, $name, $isPart);
    }

    private static function loaded(string $xml): DOMDocument
    {
        libxml_use_internal_errors(true);
        libxml_clear_errors();
        $document = new DOMDocument();
        if (trim($xml, self::WHITE_SPACE) === '' || !$document->loadXML($xml, LIBXML_NONET) || self::complained()) {
            throw self::fault('the document is not well-formed');
        }
        return $document;
    }

    private static function checked(?DOMElement $element, string $namespace, string $name, bool $isPart): DOMElement
    {
        $typed = $element?->ownerDocument->doctype !== null;
        if ($element === null || $typed || !self::isDue($element, $namespace, $name, $isPart)) {
            throw self::fault("a $name without a document type is due");
        }
        $tooDeep = implode('/', array_fill(0, self::MOST_DEPTH, '*'));
        if ((new DOMXPath($element->ownerDocument))->evaluate("boolean($tooDeep)", $element)) {
            throw self::fault('the elements nest too deep');
        }
        return $element;
    }

    /** The elements of a document, whose root must be this one, one after the other: the reader at each of them. */
    public static function elements(string $xml, string $namespace, string $name, bool $isPart): Generator
    {
        libxml_use_internal_errors(true);
        libxml_clear_errors();
        if (trim($xml, self::WHITE_SPACE) === '') {
            throw self::fault('the document is empty');
        }
        $reader = XMLReader::XML($xml, null, LIBXML_NONET);
        while (@$reader->read()) {
            if ($reader->nodeType === XMLReader::DOC_TYPE) {
                throw self::fault('the document has a document type');
            }
            if ($reader->nodeType !== XMLReader::ELEMENT) {
                continue;
            }
            if ($reader->depth === 0 && !self::isDue($reader, $namespace, $name, $isPart)) {
                throw self::fault("a $name is due");
            }
            if ($reader->depth >= self::MOST_DEPTH) {
                throw self::fault('the elements nest too deep');
            }
            yield $reader;
        }
        if (self::complained()) {
            throw self::fault('the document is not well-formed');
        }
    }

    /** Begins the root of an answer: an element of the namespace, which has this prefix within, or a part. */
    public static function begin(XMLWriter $out, string $prefix, string $namespace, string $name, bool $isPart): void
    {
        if ($isPart) {
            $out->startElement(self::PART);
            $out->writeAttribute("xmlns:$prefix", $namespace);
        } else {
            $out->startElementNs($prefix, $name, $namespace);
        }
    }

    /** Whether a root is the element of this name, or else a part. */
    private static function isDue(DOMElement|XMLReader $root, string $namespace, string $name, bool $isPart): bool
    {
        [$space, $due] = $isPart ? ['', self::PART] : [$namespace, $name];
        return $root->localName === $due && (string) $root->namespaceURI === $space;
    }

    public static function fault(string $reason): SoapFault
    {
        return new SoapFault('Client', $reason);
    }

    /** A text without the white space around it. */
    public static function trimmed(string $text): string
    {
        return trim($text, self::WHITE_SPACE);
    }

    /** Whether libxml found an error; a prefix that nothing binds stops no reader. */
    private static function complained(): bool
    {
        foreach (libxml_get_errors() as $error) {
            if ($error->level !== LIBXML_ERR_WARNING) {
                return true;
            }
        }
        return false;
    }
}
