"""What is asked of a server before Steelyard offers it."""
