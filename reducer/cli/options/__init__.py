"""What each command takes: arguments, options and help, without the code that does the work.

Help and Tab completion import only this package. A command imports its own work when it runs.
"""
