// A link of a limited rate between two processes of a subject: one proxy of Toxiproxy with its bandwidth toxic both ways.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// Of a megabit a second, in the thousands of bytes a second that the toxic counts in.
const kilobytesOfMegabit = 125

func main() {
	listen := flag.String("listen", "", "`ADDRESS` that is connected to")
	to := flag.String("to", "", "`ADDRESS` behind the link")
	mbit := flag.Int64("mbit", 100, "rate of each connection in each direction, in Mbit/s")
	flag.Parse()
	if err := run(*listen, *to, *mbit); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(listen, to string, mbit int64) error {
	if listen == "" || to == "" || mbit < 1 {
		return fmt.Errorf("a link needs an address, an address behind it and a rate of at least 1 Mbit/s, not %q, %q and %d", listen, to, mbit)
	}
	// Of each connection it would say that there is one.
	logger := zerolog.New(os.Stderr).Level(zerolog.WarnLevel).With().Timestamp().Logger()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), logger)
	proxy := toxiproxy.NewProxy(server, "link", listen, to)
	for _, direction := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"type": "bandwidth", "stream": %q, "attributes": {"rate": %d}}`, direction, mbit*kilobytesOfMegabit)
		if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			return err
		}
	}
	if err := proxy.Start(); err != nil {
		return err
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	<-ended
	proxy.Stop()
	return nil
}
