package soap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var (
	utf8Mark     = []byte{0xEF, 0xBB, 0xBF}
	utf16BEMark  = []byte{0xFE, 0xFF}
	utf16LEMark  = []byte{0xFF, 0xFE}
	declaredName = regexp.MustCompile(`^<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)
)

// decodeText turns a message into UTF-8. A byte order mark decides, then the charset of the Content-Type, then the XML
// declaration (RFC 7303, section 3).
func decodeText(body []byte, charset string) ([]byte, error) {
	switch {
	case bytes.HasPrefix(body, utf8Mark):
		return checkUTF8(body[len(utf8Mark):])
	case bytes.HasPrefix(body, utf16BEMark):
		return fromUTF16(body[2:], binary.BigEndian)
	case bytes.HasPrefix(body, utf16LEMark):
		return fromUTF16(body[2:], binary.LittleEndian)
	}
	if charset == "" {
		charset = "utf-8"
		if declared := declaredName.FindSubmatch(body); declared != nil {
			charset = string(declared[1])
		}
	}
	switch strings.ToLower(charset) {
	case "utf-8", "us-ascii":
		return checkUTF8(body)
	case "utf-16", "utf-16be":
		return fromUTF16(body, binary.BigEndian)
	case "utf-16le":
		return fromUTF16(body, binary.LittleEndian)
	case "iso-8859-1":
		return fromLatin1(body), nil
	}
	return nil, fmt.Errorf("charset %s is not known here", charset)
}

func checkUTF8(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("the message is not UTF-8")
	}
	return text, nil
}

func fromUTF16(text []byte, order binary.ByteOrder) ([]byte, error) {
	if len(text)%2 != 0 {
		return nil, errors.New("the message is not UTF-16: it has an odd number of bytes")
	}
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = order.Uint16(text[2*i:])
	}
	return []byte(string(utf16.Decode(units))), nil
}

func fromLatin1(text []byte) []byte {
	decoded := make([]rune, len(text))
	for i, b := range text {
		decoded[i] = rune(b)
	}
	return []byte(string(decoded))
}
