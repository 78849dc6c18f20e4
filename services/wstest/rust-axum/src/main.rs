//! Serves WSTest on a loopback port: over SOAP 1.1, with quick-xml as a pull reader and a writer, and over REST/JSON and JSON-RPC 2.0,
//! with serde, and by gRPC, with tonic.

mod grpc;
mod json;
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
    steelyard_soap::run_beside(&SERVICE, json::routes().merge(grpc::routes()))
}
