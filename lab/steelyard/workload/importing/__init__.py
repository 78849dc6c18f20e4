"""From a service's own description to a service folder: what it offers, sample requests, and what could not be taken over."""
