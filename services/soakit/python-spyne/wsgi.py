"""The WSGI application of a worker: the three use cases of the SOA knowledge kit by Spyne."""

from published import published
from service import applications
from soap_http import serving

serve = serving(applications(), "/soakit/count", largest_request=16 << 20)


def app(environ, start_response):
    document = published(environ)
    if document is None:
        return serve(environ, start_response)
    start_response("200 OK", [("Content-Type", "text/xml; charset=utf-8"), ("Content-Length", str(len(document)))])
    return [document]
