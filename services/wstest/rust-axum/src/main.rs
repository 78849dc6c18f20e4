//! Serves WSTest over SOAP 1.1 on a loopback port, with quick-xml as a pull reader and a writer.

mod operations;
mod order;
mod values;

use std::error::Error;

use steelyard_soap::Service;

/// Nothing but its size bounds a message: a list of the contract nests as deep as it is long.
static SERVICE: Service = Service {
    name: "wstest",
    namespace: operations::SERVICE_SPACE,
    counter: "/wstest/count",
    paths: &[("/wstest/WSTest", operations::answer)],
    most_depth: usize::MAX,
};

fn main() -> Result<(), Box<dyn Error>> {
    steelyard_soap::run(&SERVICE)
}
