"""Numbers as failures: what a compilation costs, compared with what it should cost."""
