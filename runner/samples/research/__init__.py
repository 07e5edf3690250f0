"""What the sample flow `deep_research` does beside its nodes: pure functions over texts, without Django or network."""
