"""Finding again what is kept: search, `#slug`, the resident block, measured use (section 12)."""
