"""Whether a smaller program still shows the bug that its original shows."""
