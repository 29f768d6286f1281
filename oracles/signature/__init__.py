"""Derive from what a program printed which failure it shows, and compare two of them."""
