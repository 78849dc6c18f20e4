#include "http.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <strings.h>
#include <sys/socket.h>

namespace {

const Addresses *addresses;
const int body_of_a_post = SOAP_OK;

std::atomic<unsigned long> requests{0};
thread_local double busy_us = 0;
const double most_busy_us = 1e6;  // a header costs its sender nothing, so it must not cost the server much more
int (*parse_head)(struct soap *);
int (*parse_header)(struct soap *, const char *, const char *);
size_t (*receive)(struct soap *, char *, size_t);
int (*send_bytes)(struct soap *, const char *, size_t);
int (*close_connection)(struct soap *);

// Bytes of the request's body that have not been received; unbounded while a head is awaited.
const unsigned long long unbounded = ~0ULL;
thread_local unsigned long long body_left = unbounded;

// A request's head has been read, and nothing has been sent since.
thread_local bool unanswered = false;

long long thread_time_ns() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Spins for so many microseconds of this thread's processor time.
void stay_busy(double micros) {
    const long long end = thread_time_ns() + static_cast<long long>(micros * 1000);
    while (thread_time_ns() < end) {
    }
}

int read_header(struct soap *soap, const char *name, const char *value) {
    if (strcasecmp(name, "Steelyard-Busy-Us") == 0) {
        char *end;
        busy_us = strtod(value, &end);
        if (end == value || *end != 0) {
            busy_us = NAN;
        }
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

int note_answer(struct soap *soap, const char *bytes, size_t size) {
    unanswered = false;
    return send_bytes(soap, bytes, size);
}

// gSOAP sends no fault for a message that ends too early; and a connection that is closed while its client still sends
// is reset, which takes the answer with it.
int close_politely(struct soap *soap) {
    if (soap_valid_socket(soap->socket)) {
        if (unanswered) {
            const char bad_request[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            note_answer(soap, bad_request, sizeof bad_request - 1);
        }
        if (body_left != unbounded) {
            shutdown(soap->socket, SHUT_WR);
            char ignored[1 << 16];
            while (body_left > 0 && receive_body(soap, ignored, sizeof ignored) > 0) {
            }
        }
    }
    return close_connection(soap);
}

bool is_service(const char *path) {
    return std::find(addresses->services.begin(), addresses->services.end(), path) != addresses->services.end();
}

int read_head(struct soap *soap) {
    if (unanswered) {  // the last message held no tag at all: gSOAP passes over it to the next
        return SOAP_EOF;
    }
    busy_us = 0;
    await_head();
    const int parsed = parse_head(soap);
    unanswered = parsed == body_of_a_post;
    if (soap->length > 0) {
        const size_t received = soap->buflen - soap->bufidx;
        body_left = soap->length > received ? soap->length - received : 0;
    }
    if (parsed == body_of_a_post && is_service(soap->path)) {
        requests++;
        if (!(busy_us >= 0 && busy_us <= most_busy_us)) {
            return 400;
        }
        if (busy_us > 0) {
            stay_busy(busy_us);
        }
    }
    return parsed;
}

int answer_get(struct soap *soap) {
    if (addresses->counter != soap->path) {
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
    unanswered = false;
}

void add_http(struct soap *soap, const Addresses &known) {
    addresses = &known;
    parse_head = soap->fparse;
    parse_header = soap->fparsehdr;
    soap->fparse = read_head;
    soap->fparsehdr = read_header;
    soap->fget = answer_get;
    receive = soap->frecv;
    soap->frecv = receive_body;
    send_bytes = soap->fsend;
    soap->fsend = note_answer;
    close_connection = soap->fclose;
    soap->fclose = close_politely;
}
