"""The stages of a reduction, in the order of the table; each lies with what it asks about."""
