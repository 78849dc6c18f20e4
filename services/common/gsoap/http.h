#pragma once

#include <string>
#include <vector>

#include "stdsoap2.h"

// The paths of a service's addresses, whose requests are counted, and the one that tells their number.
struct Addresses {
    std::vector<std::string> services;
    std::string counter;
};

// Adds to a context what a service does beside SOAP: the count, the header Steelyard-Busy-Us, and the end of a body.
void add_http(struct soap *soap, const Addresses &known);

// Says that this thread's connection has been answered, or is a new one: what comes now is a head.
void await_head();
