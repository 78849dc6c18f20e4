// One thread accepts connections, a pool of threads serves one connection each.

#include "server.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

namespace {

const int backlog = 512;
const int idle_seconds = 15 * 60;
const int send_seconds = 60;
const unsigned long largest_request = 16 << 20;

// Connections that wait for a thread.
class Waiting {
public:
    void add(SOAP_SOCKET connection) {
        {
            const std::lock_guard<std::mutex> held(mutex);
            connections.push_back(connection);
        }
        added.notify_one();
    }

    SOAP_SOCKET take() {
        std::unique_lock<std::mutex> held(mutex);
        added.wait(held, [this] { return !connections.empty(); });
        const SOAP_SOCKET connection = connections.front();
        connections.pop_front();
        return connection;
    }

private:
    std::mutex mutex;
    std::condition_variable added;
    std::deque<SOAP_SOCKET> connections;
};

Waiting waiting;

// Without this, what one connection's requests have allocated would be kept until the connection ends.
int after_each_request(struct soap *soap) {
    soap_destroy(soap);
    soap_end(soap);
    await_head();
    return SOAP_OK;
}

void serve_connections(struct soap *soap, int (*answer)(struct soap *)) {
    for (;;) {
        soap->socket = waiting.take();
        await_head();
        answer(soap);
        soap_destroy(soap);
        soap_end(soap);
        soap_force_closesock(soap);
    }
}

}  // namespace

int serve(int arguments, char **argument, struct soap *context, const Addresses &addresses, int (*answer)(struct soap *)) {
    if (arguments != 3) {
        fprintf(stderr, "usage: %s PORT THREADS\n", argument[0]);
        return 2;
    }
    context->max_keep_alive = 0;
    context->recv_timeout = idle_seconds;
    context->send_timeout = send_seconds;
    context->recv_maxlength = largest_request;
    context->fserveloop = after_each_request;
    context->bind_flags = SO_REUSEADDR;
    add_http(context, addresses);
    const char *host = getenv("STEELYARD_HOST");
    if (!soap_valid_socket(soap_bind(context, host ? host : "127.0.0.1", atoi(argument[1]), backlog))) {
        soap_print_fault(context, stderr);
        return 1;
    }
    for (int thread = 0; thread < atoi(argument[2]); thread++) {
        std::thread(serve_connections, soap_copy(context), answer).detach();
    }
    for (;;) {
        const SOAP_SOCKET connection = soap_accept(context);
        if (!soap_valid_socket(connection)) {
            soap_print_fault(context, stderr);
            return 1;
        }
        context->socket = SOAP_INVALID_SOCKET;
        waiting.add(connection);
    }
}
