"""What is asked of a service and how its answer is compared: the contract, the exchanges, the corpus. Nothing here measures."""
