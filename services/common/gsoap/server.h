#pragma once

#include "http.h"

// Serves on the loopback port, by as many threads, that the arguments name, until the process ends. `answer` takes all requests of
// the connection that its context holds. Returns what the program ends with.
int serve(int arguments, char **argument, struct soap *context, const Addresses &addresses, int (*answer)(struct soap *));
