#include "http.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <strings.h>

namespace {

const char *const service_path = "/wstest/WSTest";
const char *const counter_path = "/wstest/count";
const int body_of_a_post = SOAP_OK;

std::atomic<unsigned long> requests{0};
thread_local long busy_us = 0;
int (*parse_head)(struct soap *);
int (*parse_header)(struct soap *, const char *, const char *);
size_t (*receive)(struct soap *, char *, size_t);

// Bytes of the request's body that have not been received; unbounded while a head is awaited.
const unsigned long long unbounded = ~0ULL;
thread_local unsigned long long body_left = unbounded;

long long thread_time_ns() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Spins for so many microseconds of this thread's processor time.
void stay_busy(long micros) {
    const long long end = thread_time_ns() + micros * 1000LL;
    while (thread_time_ns() < end) {
    }
}

int read_header(struct soap *soap, const char *name, const char *value) {
    if (strcasecmp(name, "Steelyard-Busy-Us") == 0) {
        busy_us = strtol(value, nullptr, 10);
        return SOAP_OK;
    }
    return parse_header(soap, name, value);
}

// A body ends where its length says: gSOAP would wait for the end of a broken message until its time-out.
size_t receive_body(struct soap *soap, char *buffer, size_t size) {
    if (body_left == unbounded) {
        return receive(soap, buffer, size);
    }
    if (body_left == 0) {
        return 0;
    }
    const size_t received = receive(soap, buffer, std::min<unsigned long long>(size, body_left));
    body_left -= received;
    return received;
}

int read_head(struct soap *soap) {
    busy_us = 0;
    await_head();
    const int parsed = parse_head(soap);
    if (soap->length > 0) {
        const size_t received = soap->buflen - soap->bufidx;
        body_left = soap->length > received ? soap->length - received : 0;
    }
    if (parsed == body_of_a_post && strcmp(soap->path, service_path) == 0) {
        requests++;
        if (busy_us > 0) {
            stay_busy(busy_us);
        }
    }
    return parsed;
}

int answer_get(struct soap *soap) {
    if (strcmp(soap->path, counter_path) != 0) {
        return 404;
    }
    const std::string number = std::to_string(requests.load());
    soap->http_content = "text/plain";
    if (soap_response(soap, SOAP_FILE) || soap_send(soap, number.c_str()) || soap_end_send(soap)) {
        return soap->error;
    }
    return SOAP_OK;
}

}  // namespace

void await_head() {
    body_left = unbounded;
}

void add_http(struct soap *soap) {
    parse_head = soap->fparse;
    parse_header = soap->fparsehdr;
    soap->fparse = read_head;
    soap->fparsehdr = read_header;
    soap->fget = answer_get;
    receive = soap->frecv;
    soap->frecv = receive_body;
}
