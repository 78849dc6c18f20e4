"""Fast Infoset (ITU-T X.891, ISO/IEC 24824-1): an XML document in binary, in which what comes again is numbered."""
