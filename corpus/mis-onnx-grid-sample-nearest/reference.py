"""GridSample of ONNX (mode "nearest", padding with zeros, align_corners = 0) in two dimensions.

https://onnx.ai/onnx/operators/onnx__GridSample.html: a coordinate of -1 is the left or upper edge
of the image, 1 is the other one, and halves are rounded to even.
"""

import numpy as np


def grid_sample_nearest(images, grids):
    height, width = images.shape[2:]
    x = np.rint(((grids[..., 0] + 1) * width - 1) / 2).astype(int)
    y = np.rint(((grids[..., 1] + 1) * height - 1) / 2).astype(int)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    x, y = np.clip(x, 0, width - 1), np.clip(y, 0, height - 1)
    found = [image[:, y[n], x[n]] * inside[n] for n, image in enumerate(images)]
    return np.stack(found)
