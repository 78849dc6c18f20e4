"""What a load is doing, told to monitoring systems while it runs: OpenTelemetry (OTLP) and Prometheus (remote write)."""
