"""Other runners, measured beside ours where somebody has installed them. None is needed by the product."""
