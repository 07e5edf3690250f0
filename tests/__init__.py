"""The tests: unit (pure), integration (database), acceptance (processes), e2e (browser), architecture."""
