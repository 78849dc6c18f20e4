// A small server as a user has one: /items/N answers a checksum after so many rounds of work. It listens on the port of
// its second argument or of the environment.
package main

import (
	"crypto/sha256"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
)

func main() {
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	address := "127.0.0.1:" + os.Getenv("PORT")
	if len(os.Args) > 2 {
		address = os.Args[2]
	}
	http.HandleFunc("GET /items/{id}", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.PathValue("id")))
		for range rounds {
			sum = sha256.Sum256(sum[:])
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id": %q, "sum": "%x"}`, r.PathValue("id"), sum)
	})
	log.Fatal(http.ListenAndServe(address, nil))
}
