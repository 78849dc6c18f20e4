"""From a study and a user's wishes to a schedule, fixed before anything runs. Nothing here starts or reads what ran."""
