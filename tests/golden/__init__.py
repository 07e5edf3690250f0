"""Golden runs: whole histories that were recorded once, which later code must give again and still read."""
