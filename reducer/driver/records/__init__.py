"""What is known of a reduction once it has ended: its record, its history, its origins."""
