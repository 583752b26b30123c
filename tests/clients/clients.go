// Go clients for survey.py: `clients NAME` pays one order as the library is set up, through IDEM_PROXY. A request that
// names no order goes before it on the same connection, since net/http retries on used connections alone.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

var base = os.Getenv("IDEM_PROXY")
var body = fmt.Sprintf(`{"intent":%q,"amount":5}`, os.Getenv("IDEM_RUN"))

func check(reply *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if _, err := io.ReadAll(reply.Body); err != nil {
		return err
	}
	if reply.StatusCode >= 300 {
		return fmt.Errorf("status %d", reply.StatusCode)
	}
	return nil
}

func netHTTP(key string) error {
	client := &http.Client{Timeout: time.Second}
	if err := check(client.Get(base + "/warm")); err != nil {
		return err
	}
	request, _ := http.NewRequest("POST", base+"/charges", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	return check(client.Do(request))
}

func retryable() error {
	client := retryablehttp.NewClient()
	client.RetryMax, client.RetryWaitMin, client.RetryWaitMax = 2, 100*time.Millisecond, time.Second
	client.HTTPClient.Timeout = time.Second
	client.Logger = nil
	return check(client.Post(base+"/charges", "application/json", strings.NewReader(body)))
}

func main() {
	var err error
	switch os.Args[1] {
	case "net_http":
		err = netHTTP("")
	case "net_http_key":
		err = netHTTP(os.Getenv("IDEM_RUN"))
	case "retryablehttp":
		err = retryable()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
