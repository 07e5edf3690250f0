"""Commands of the site itself: preparing it, and making its demo people."""
