"""How the kit says that something does not hold."""


def require(holds: bool, otherwise: str) -> None:
    """Do nothing when it `holds`.

    Raises:
        AssertionError: it does not; the message is `otherwise`.
    """
    if not holds:
        raise AssertionError(otherwise)
