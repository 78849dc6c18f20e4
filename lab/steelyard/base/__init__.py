"""What every room stands on: errors, places, small files, progress, words for numbers; nothing of servers or runs."""
