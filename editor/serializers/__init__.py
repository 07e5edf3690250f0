"""How flows are told to programs, and what programs may send. Fields are listed; no query is made here."""
