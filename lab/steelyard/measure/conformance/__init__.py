"""What is asked of a server before it belongs to the hall."""
