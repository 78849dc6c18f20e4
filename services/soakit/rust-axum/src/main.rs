//! Serves the three use cases of the SOA knowledge kit over SOAP 1.1 on a loopback port.

mod buffet;
mod documents;
mod news;
mod order;

use std::error::Error;

use steelyard_soap::Service;

static SERVICE: Service = Service {
    name: "soakit",
    namespace: documents::SERVICE_SPACE,
    counter: "/soakit/count",
    paths: documents::PATHS,
    most_depth: documents::MOST_DEPTH,
};

fn main() -> Result<(), Box<dyn Error>> {
    steelyard_soap::run(&SERVICE)
}
