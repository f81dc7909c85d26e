"""The rules of a team for its memory."""
