"""What can be said of a failure without reducing it: where it comes from, and where it ends."""
