"""The WSGI application of a worker: the three use cases of the SOA knowledge kit by Spyne."""

from service import applications
from soap_http import serving

app = serving(applications(), "/soakit/count", largest_request=16 << 20)
