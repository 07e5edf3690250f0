"""The simulator: the engine on a virtual clock, flow tests, crash schedules, random flows. Nothing real."""
