// Serves WSTest on a loopback port: one thread accepts connections, a pool of threads serves one connection each.

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "WSTestBinding.nsmap"
#include "http.h"
#include "soapWSTestBindingService.h"

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

void serve_connections(WSTestBindingService *service) {
    for (;;) {
        service->soap->socket = waiting.take();
        await_head();
        service->serve();
        service->destroy();
        service->soap_force_close_socket();
    }
}

}  // namespace

int main(int arguments, char **argument) {
    if (arguments != 3) {
        fprintf(stderr, "usage: %s PORT THREADS\n", argument[0]);
        return 2;
    }
    WSTestBindingService service(SOAP_IO_KEEPALIVE | SOAP_XML_STRICT | SOAP_C_UTFSTRING);
    service.soap->max_keep_alive = 0;
    service.soap->recv_timeout = idle_seconds;
    service.soap->send_timeout = send_seconds;
    service.soap->recv_maxlength = largest_request;
    service.soap->fserveloop = after_each_request;
    service.soap->bind_flags = SO_REUSEADDR;
    add_http(service.soap);
    const char *host = getenv("STEELYARD_HOST");
    if (!soap_valid_socket(service.bind(host ? host : "127.0.0.1", atoi(argument[1]), backlog))) {
        service.soap_print_fault(stderr);
        return 1;
    }
    for (int thread = 0; thread < atoi(argument[2]); thread++) {
        std::thread(serve_connections, service.copy()).detach();
    }
    for (;;) {
        const SOAP_SOCKET connection = service.accept();
        if (!soap_valid_socket(connection)) {
            service.soap_print_fault(stderr);
            return 1;
        }
        service.soap->socket = SOAP_INVALID_SOCKET;
        waiting.add(connection);
    }
}
