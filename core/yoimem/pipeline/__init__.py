"""From a session to records: extract, stage, consolidate, offer (section 13)."""
