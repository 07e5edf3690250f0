"""What a value expression may call beside the methods of conditions: one file per kind of value, one table of all."""
