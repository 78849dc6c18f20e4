#pragma once

#include "stdsoap2.h"

// How documents are read, in messages and as strings.
const soap_mode reading_mode = SOAP_XML_STRICT | SOAP_C_UTFSTRING;
const unsigned int most_depth = 100;
