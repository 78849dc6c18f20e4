"""Results that other load tools wrote, read as they stream by and judged by our statistics. Nothing here measures."""
