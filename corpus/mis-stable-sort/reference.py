# ruff: noqa: F722 (the annotations are inputs, not types)
"""What a stable sort makes of the inputs. Annotations say what these are."""

import numpy as np


def stable_sort(keys: "?xf32", values: "?xi32"):
    order = np.argsort(keys, kind="stable")
    return keys[order], values[order]
