"""What is open about resizing an image."""

import numpy as np
import pytest

from reducer.miscompile.interpreter.dialects.onnx_limits import between_pixels, is_mistaken


def open_pixels(new: int, scale: float | None = None, old: int = 4, **attributes: object) -> str:
    """Which pixels of a line are open, as x; its length, unless there is a scale."""
    given = [np.zeros(old), None, None if scale is None else np.array([scale], np.float32)]
    found = between_pixels("Resize", given, attributes, [new])
    return "".join("x" if one else "." for one in np.broadcast_to(found, [new]))


def test_a_pixel_at_a_jump_is_open_unless_its_place_is_exact() -> None:
    assert open_pixels(7) == "...x...", "round(3.5 * 4 / 7 - 0.5) is that of 1.5"
    assert open_pixels(8) == "........"
    assert open_pixels(7, nearest_mode="floor") == "......."
    asymmetric = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    assert open_pixels(12, **asymmetric) == "...x..x..x.."
    assert open_pixels(8, **asymmetric) == "........"
    corners = {"coordinate_transformation_mode": "align_corners", "nearest_mode": "floor"}
    assert open_pixels(10, **corners) == "...x..x..x"
    assert open_pixels(7, **corners) == "......."
    assert open_pixels(3, scale=0.6, old=5, nearest_mode="floor") == ".x."
    assert not between_pixels("Resize", [np.zeros(4)], {"mode": "linear"}, [7]).any()
    assert not between_pixels("Abs", [np.zeros(4)], {}, [4]).any()


@pytest.mark.parametrize(
    ("name", "attributes", "new", "is_so"),
    [
        ("Resize", {"mode": "linear", "coordinate_transformation_mode": "asymmetric"}, 1, False),
        ("Resize", {"mode": "cubic", "coordinate_transformation_mode": "pytorch_half_pixel"}, 1, 1),
        ("Resize", {"mode": "cubic", "coordinate_transformation_mode": "pytorch_half_pixel"}, 2, 0),
        ("GridSample", {"mode": "cubic", "padding_mode": "border"}, 1, True),
        ("GridSample", {"mode": "linear", "padding_mode": "border"}, 1, False),
        ("RoiAlign", {"mode": "max"}, 1, True),
        ("RoiAlign", {}, 1, False),
    ],
)
def test_what_the_reference_is_mistaken_about(
    name: str, attributes: dict[str, object], new: int, is_so: bool
) -> None:
    assert is_mistaken(name, [np.zeros(4), None, None], attributes, [new]) == is_so


def test_corners_that_are_no_pixels() -> None:
    given = [np.zeros(4), None, np.array([1.7], np.float32)]
    corners = {"coordinate_transformation_mode": "align_corners"}
    assert is_mistaken("Resize", given, corners, [6])
    assert not is_mistaken("Resize", [np.zeros(4), None, np.array([1.75])], corners, [7])
