#pragma once

#include "soapH.h"

// Adds to a context what the service does beside SOAP: the count, the header Steelyard-Busy-Us, and the end of a body.
void add_http(struct soap *soap);

// Says that this thread's connection has been answered, or is a new one: what comes now is a head.
void await_head();
