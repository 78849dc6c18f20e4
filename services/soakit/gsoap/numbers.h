#pragma once

#include <string>

// Exact numbers with decimals, of 38 digits in all: what does not fit is a BadDocument.
using Number = __int128;

// What an xs:decimal has in millionths.
Number decimal(const std::string &text);

// An xs:integer in its plain spelling.
std::string integer(const std::string &text);

Number sum(Number a, Number b);
Number difference(Number a, Number b);

// Of millionths: in millionths of millionths, as `scaled` makes the others.
Number product(Number a, Number b);
Number scaled(Number millionths);

// A number of so many times six places, with no zeros at its end.
std::string written(Number number, int times_six);
