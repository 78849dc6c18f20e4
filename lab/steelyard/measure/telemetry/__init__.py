"""Telemetry of a running load for monitoring systems: OpenTelemetry (OTLP) and Prometheus (remote write)."""
