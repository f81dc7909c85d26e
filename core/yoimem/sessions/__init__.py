"""Reading the logs of sessions, of whichever host (section 13)."""
