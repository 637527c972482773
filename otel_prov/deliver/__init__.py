"""From the store to destinations: a process of its own sends what is kept, at least once and in order."""
