"""How much records are used, in events and in figures (section 12; seed 003)."""
