"""Run compilers on other machines through Dask (the optional extra `cluster`)."""
