"""Real servers for tests: on loopback, on free ports, stopped at the end; what they are made of is fetched once."""
