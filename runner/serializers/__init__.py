"""How rows of runs are told to the outside: JSON for browsers, words for people. No page and no query of lists."""
