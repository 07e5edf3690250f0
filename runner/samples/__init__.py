"""An installed app of its own: sample flows with their tests, made with nothing but the public tool API."""
