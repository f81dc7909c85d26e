"""What a user gets wrong: said in one message, never with a traceback."""


class ConfigError(Exception):
    """The configuration, or what was asked for, cannot be used; the message says how to mend it."""
