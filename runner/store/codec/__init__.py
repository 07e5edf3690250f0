"""The engine's rows as columns and back: each kind of row has its columns named once."""
