"""Where hosts keep logs: what a record says of a session must not lead anywhere else."""

import re

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def is_file_name(session_id: str) -> bool:
    """Tell whether `session_id`, which any record may name, is safe as a part of a file's name."""
    return _FILE_NAME.fullmatch(session_id) is not None
