// A server of a user's own whose cost a test plants: each request takes the same processor time, and a share of it more.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"net/http"
)

// rounds are those of a request without anything planted: some 0.3 ms of processor time, beside which HTTP costs little.
const rounds = 3000

// planted is the share that each request takes more; a commit of the tests' repository changes this line alone.
const planted = 0.0

func main() {
	port := flag.Int("port", 0, "where it listens on loopback")
	share := flag.Float64("planted", planted, "the share that each request takes more")
	flag.Parse()
	whole := int(rounds * (1 + *share))
	http.HandleFunc("GET /items/{id}", func(answer http.ResponseWriter, request *http.Request) {
		sum := sha256.Sum256([]byte(request.PathValue("id")))
		for range whole {
			sum = sha256.Sum256(sum[:])
		}
		answer.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(answer, "{\"id\": %q, \"mark\": \"%x\"}\n", request.PathValue("id"), sum[:4])
	})
	log.Fatal(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), nil))
}
