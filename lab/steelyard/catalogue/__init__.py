"""What a user can name: servers, services, studies, factors, what papers tuned and published. Nothing here is started."""
