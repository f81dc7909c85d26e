"""What a search can be asked wrongly."""


class SearchError(Exception):
    """A search that cannot be made; the message says why and how to mend it."""
