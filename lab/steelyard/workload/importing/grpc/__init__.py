"""gRPC: a .proto file, or a compiled contract, becomes a service with an operation for each method that takes one message."""
