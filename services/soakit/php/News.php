<?php

declare(strict_types=1);

require_once __DIR__ . '/Documents.php';

/** Sushi Boats: keeps the stories that match an interest; XMLReader passes by the others, of which nothing is kept. */
final class News
{
    /** The digest of a NewsPosting, both as XML, or as parts. */
    public static function digest(string $document, bool $isPart = false): string
    {
        $posting = null;
        $interests = [];
        $stories = 0;
        $kept = [];
        $above = []; // the names of the elements above, from the root
        foreach (Documents::elements($document, Documents::NEWS, 'NewsPosting', $isPart) as $at) {
            $above[$at->depth] = $at->namespaceURI === Documents::NEWS ? $at->localName : '';
            switch (implode('/', array_slice($above, 1, $at->depth))) {
                case '':
                    $posting = $at->getAttribute('id');
                    break;
                case 'Interests/Topic':
                    $interests[] = Documents::trimmed($at->readString());
                    break;
                case 'Story':
                    $stories++;
                    $wanted = in_array($at->getAttribute('topic'), $interests, true);
                    if ($wanted) {
                        $kept[] = self::begun($at);
                    }
                    break;
                case 'Story/Headline':
                    if ($wanted) {
                        $kept[array_key_last($kept)]['Headline'] = $at->readString();
                    }
                    break;
                case 'Story/Body/Paragraph':
                    if ($wanted) {
                        $kept[array_key_last($kept)]['Characters'] += iconv_strlen($at->readString(), 'UTF-8');
                    }
            }
        }
        return self::written($posting ?? throw Documents::fault('the posting has no id'), $stories, $kept, $isPart);
    }

    /** What the attributes of a story say. */
    private static function begun(XMLReader $at): array
    {
        return [
            'StoryId' => $at->getAttribute('id') ?? '',
            'Headline' => '',
            'Priority' => $at->getAttribute('priority'),
            'Language' => $at->getAttributeNs('language', Documents::COMMON),
            'Characters' => 0,
        ];
    }

    private static function written(string $posting, int $stories, array $kept, bool $isPart): string
    {
        $out = new XMLWriter();
        $out->openMemory();
        Documents::begin($out, 'n', Documents::NEWS, 'NewsDigest', $isPart);
        $out->writeElement('n:Posting', $posting);
        $out->writeElement('n:Stories', (string) $stories);
        foreach ($kept as $story) {
            $out->startElement('n:Kept');
            foreach ($story as $name => $value) {
                if ($value !== null) {
                    $out->writeElement("n:$name", (string) $value);
                }
            }
            $out->endElement();
        }
        $out->endDocument();
        return $out->outputMemory();
    }
}
