"""The pure language of flows: documents, expressions, checks. No Django, clock, chance or network here."""
