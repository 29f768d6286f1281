"""What each op means, one file for each dialect or part of one."""
