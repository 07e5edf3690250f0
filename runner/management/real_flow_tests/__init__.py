"""Flow tests on the real runner: workers, store and queue are the site's own, tools and models stand-ins."""
