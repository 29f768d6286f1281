"""What people see: lines and tables, progress, the table at the end, and records as JSON."""
