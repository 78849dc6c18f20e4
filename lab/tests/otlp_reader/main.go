// Reads a file of OTLP lines by the library that the OpenTelemetry collector itself reads them with, and prints each span as it
// understood it, a line of JSON a span: otlp_reader FILE.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

type span struct {
	Trace, Span, Parent, Name, Kind, Status string
	Begin, End                                                 uint64
	Resource, Attributes                                       map[string]any
}

func main() {
	if err := read(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	var reader ptrace.JSONUnmarshaler
	for lines.Scan() {
		traces, err := reader.UnmarshalTraces(lines.Bytes())
		if err != nil {
			return err
		}
		if err := print(traces); err != nil {
			return err
		}
	}
	return lines.Err()
}

func print(traces ptrace.Traces) error {
	out := json.NewEncoder(os.Stdout)
	for _, resource := range traces.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, one := range scope.Spans().All() {
				if err := out.Encode(span{
					Trace:      one.TraceID().String(),
					Span:       one.SpanID().String(),
					Parent:     one.ParentSpanID().String(),
					Name:       one.Name(),
					Kind:       one.Kind().String(),
					Status:     one.Status().Code().String(),
					Begin:      uint64(one.StartTimestamp()),
					End:        uint64(one.EndTimestamp()),
					Resource:   resource.Resource().Attributes().AsRaw(),
					Attributes: one.Attributes().AsRaw(),
				}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
