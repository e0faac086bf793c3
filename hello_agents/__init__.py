"""Hello Agents: a small, typed agent library, and the one that its book takes apart."""
