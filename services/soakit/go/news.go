package main

import (
	"encoding/xml"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

const newsSpace = "urn:steelyard:soakit:news"

type newsPosting struct {
	ID        *string  `xml:"id,attr"`
	Interests []string `xml:"Interests>Topic"`
	Stories   []story  `xml:"Story"`
}

type story struct {
	ID         string   `xml:"id,attr"`
	Topic      string   `xml:"topic,attr"`
	Priority   *string  `xml:"priority,attr"`
	Language   *string  `xml:"urn:steelyard:soakit:common language,attr"`
	Headline   string   `xml:"Headline"`
	Paragraphs []string `xml:"Body>Paragraph"`
}

type newsDigest struct {
	XMLName xml.Name    `xml:"urn:steelyard:soakit:news NewsDigest"`
	Posting string      `xml:"Posting"`
	Stories int         `xml:"Stories"`
	Kept    []keptStory `xml:"Kept"`
}

type keptStory struct {
	ID         string  `xml:"StoryId"`
	Headline   string  `xml:"Headline"`
	Priority   *string `xml:"Priority,omitempty"`
	Language   *string `xml:"Language,omitempty"`
	Characters int     `xml:"Characters"`
}

// digest keeps the stories that match an interest.
func digest(posting *newsPosting) (any, error) {
	if posting.ID == nil {
		return nil, errors.New("the posting has no id")
	}
	for i, topic := range posting.Interests {
		posting.Interests[i] = strings.TrimSpace(topic)
	}
	answer := &newsDigest{Posting: *posting.ID, Stories: len(posting.Stories)}
	for i := range posting.Stories {
		story := &posting.Stories[i]
		if !slices.Contains(posting.Interests, story.Topic) {
			continue
		}
		characters := 0
		for _, paragraph := range story.Paragraphs {
			characters += utf8.RuneCountInString(paragraph)
		}
		answer.Kept = append(answer.Kept, keptStory{story.ID, story.Headline, story.Priority, story.Language, characters})
	}
	return answer, nil
}
