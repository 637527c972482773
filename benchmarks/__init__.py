"""What things cost, side by side with peers in one run. ``make bench`` runs all of them and prints one table."""
