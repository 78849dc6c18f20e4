package main

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The types of the schema. Tags name no namespace, so that answers declare theirs once, at the root.

type structure struct {
	VarInt    integer `xml:"varInt"`
	VarFloat  float   `xml:"varFloat"`
	VarString string  `xml:"varString"`
}

type listItem struct {
	Value structure `xml:"value"`
	Next  *listItem `xml:"next"`
}

type synthetic struct {
	Text   string    `xml:"text"`
	Struct structure `xml:"struct"`
	Bytes  binary64  `xml:"bytes"`
}

// integer is an xs:int. encoding/xml would take an empty element for 0.
type integer int32

func (i *integer) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 32)
	if err != nil {
		return fmt.Errorf("%q is no xs:int", text)
	}
	*i = integer(n)
	return nil
}

func (i integer) MarshalText() ([]byte, error) {
	return strconv.AppendInt(nil, int64(i), 10), nil
}

// float is an xs:float, which spells infinity INF and has no hexadecimal form.
type float float32

func (f *float) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	switch s {
	case "NaN":
		*f = float(math.NaN())
		return nil
	case "INF":
		*f = float(math.Inf(1))
		return nil
	case "-INF":
		*f = float(math.Inf(-1))
		return nil
	}
	n, err := strconv.ParseFloat(s, 32)
	outOfRange := err != nil && math.IsInf(n, 0) // beyond the largest: infinite, as IEEE 754 rounds it
	if strings.ContainsAny(s, "xXpPiInN_") || (err != nil && !outOfRange) {
		return fmt.Errorf("%q is no xs:float", text)
	}
	*f = float(n)
	return nil
}

func (f float) MarshalText() ([]byte, error) {
	switch n := float64(f); {
	case math.IsInf(n, 1):
		return []byte("INF"), nil
	case math.IsInf(n, -1):
		return []byte("-INF"), nil
	default:
		return strconv.AppendFloat(nil, n, 'G', -1, 32), nil
	}
}

// binary64 is an xs:base64Binary, in which white space means nothing.
type binary64 []byte

func (b *binary64) UnmarshalText(text []byte) error {
	decoded := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(decoded, withoutSpace(text))
	if err != nil {
		return fmt.Errorf("no xs:base64Binary: %w", err)
	}
	*b = decoded[:n]
	return nil
}

func (b binary64) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

func withoutSpace(text []byte) []byte {
	if !strings.ContainsAny(string(text), " \t\r\n") {
		return text
	}
	kept := make([]byte, 0, len(text))
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			kept = append(kept, c)
		}
	}
	return kept
}
