"""The pure core of a run: `advance(program, slice, happening) -> Transition`. No Django, clock, chance or network."""
