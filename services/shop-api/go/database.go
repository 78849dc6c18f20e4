package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// shop answers from a database.
type shop struct {
	database *pgxpool.Pool
	// loseUpdates plants a mistake: stock is read and written outside of the order's transaction.
	loseUpdates bool
	// cache plants a mistake: items that were read are kept, by their ids. It is nil in a server that obeys the contract.
	cache    *sync.Map
	accepted atomic.Int64
}

// openDatabase opens all connections of the pool, as the factors `pool`, `prepared` and `isolation` say.
func openDatabase(ctx context.Context) (*pgxpool.Pool, error) {
	address := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword("steelyard", os.Getenv("STEELYARD_PASSWORD")),
		Host:     cmp.Or(os.Getenv("STEELYARD_HOST"), "127.0.0.1") + ":" + os.Getenv("STEELYARD_PORT_DATABASE"),
		Path:     "steelyard",
		RawQuery: "sslmode=disable",
	}
	config, err := pgxpool.ParseConfig(address.String())
	if err != nil {
		return nil, err
	}
	connections, err := strconv.ParseInt(cmp.Or(os.Getenv("STEELYARD_POOL"), "16"), 10, 32)
	if err != nil {
		return nil, fmt.Errorf("STEELYARD_POOL: %w", err)
	}
	config.MaxConns, config.MinConns = int32(connections), int32(connections)
	isolation := cmp.Or(os.Getenv("STEELYARD_ISOLATION"), "read-committed")
	config.ConnConfig.RuntimeParams["default_transaction_isolation"] = strings.ReplaceAll(isolation, "-", " ")
	if os.Getenv("STEELYARD_PREPARED") == "off" {
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return pool, pool.Ping(ctx)
}
