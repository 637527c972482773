"""Whether the set-up works: what can be told of it without any other room."""
