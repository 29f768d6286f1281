"""Values from files, as the runtime's tool reads them."""

import struct
from pathlib import Path

import numpy as np
import pytest

from reducer.miscompile.values.input_files import InputFileReader, expected_value, from_bytes
from reducer.miscompile.values.programs import ValueType, spelled
from reducer.miscompile.values.user_inputs import InputSpec


def read(folder: Path, *specs: str) -> list[str]:
    """The values of some specs, spelled out."""
    reader = InputFileReader(folder)
    return [f"{one.type}={one.values}" for spec in specs for one in reader.read(spec)]


def test_numpy_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[1, -2.5], [np.nan, np.inf]], dtype="f4"))
    np.save(tmp_path / "b.npy", np.array([True, False]))
    np.save(tmp_path / "c.npy", np.int64(-(2**63)))
    np.save(tmp_path / "d.npy", np.asfortranarray(np.arange(4, dtype=">i2").reshape(2, 2)))
    assert read(tmp_path, "@a.npy", "@b.npy", "@c.npy", "2x2xf32=@a.npy", "@d.npy") == [
        "2x2xf32=1 -2.5 nan inf",
        "2xi1=01 00",
        "i64=-9223372036854775808",
        "2x2xf32=1 -2.5 nan inf",
        "2x2xi16=0 1 2 3",
    ]


def test_several_arrays_in_one_file(tmp_path: Path) -> None:
    with (tmp_path / "a.npy").open("wb") as stream:
        for start in (1, 3, 5):
            np.save(stream, np.array([start, start + 1], dtype="u1"))
    assert read(tmp_path, "@a.npy", "+a.npy", "@a.npy") == ["2xui8=1 2", "2xui8=3 4", "2xui8=1 2"]
    assert read(tmp_path, "*a.npy") == ["2xui8=1 2", "2xui8=3 4", "2xui8=5 6"]


@pytest.mark.parametrize(
    ("type_", "data", "words"),
    [
        ("3xi8", b"\x01\xff\x80", "1 -1 -128"),
        ("2xui16", b"\x01\x00\xff\xff", "1 65535"),
        ("2xi1", b"\x01\x00", "01 00"),
        ("2xf32", struct.pack("<2f", 0.1, 16777217), "0.1 16777216"),
        ("1xf64", struct.pack("<d", 0.1), "0.1"),
        ("2xbf16", b"\x80\x3f\x80\xff", "1 -inf"),
        ("2xf16", struct.pack("<2e", 1.5, 65504), "1.5 65504"),
        ("3xf8E4M3FN", b"\x38\x7e\x7f", "1 448 nan"),
    ],
)
def test_raw_bytes(tmp_path: Path, type_: str, data: bytes, words: str) -> None:
    (tmp_path / "a.bin").write_bytes(data)
    assert read(tmp_path, f"{type_}=@a.bin") == [f"{type_}={words}"]


def test_raw_bytes_one_tensor_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes([1, 2, 3]))
    assert read(tmp_path, "2xi8=+a.bin", "1xi8=+a.bin") == ["2xi8=1 2", "1xi8=3"]


def test_complex_numbers_are_spelled_as_their_bytes(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([1 - 2j, 0], "c8"))
    (tmp_path / "a.bin").write_bytes(np.array([1j], "c16").tobytes())
    assert read(tmp_path, "@a.npy") == ["2xcf64=0000803F000000C0 0000000000000000"]
    (spec,) = InputFileReader(tmp_path).read("1xcf128=@a.bin")
    assert tuple(expected_value(spec).elements) == (0, 1)
    (splat,) = InputFileReader(tmp_path).read("3xcf64=0000803F000000C0")
    assert tuple(expected_value(splat).elements) == (1, -2, 1, -2, 1, -2)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("@none.npy", "none.npy: No such file"),
        ("@a.bin", "a.bin: it is not in NumPy's .npy format"),
        ("2xi8=@a.bin", "2xi8 takes 2 bytes, not 3"),
        ("6xi4=@a.bin", "elements of type i4 are not whole bytes"),
        ("@objects.npy", "Object arrays cannot be loaded"),
        ("@texts.npy", "NumPy type <U1"),
        ("3xi8=@b.npy", "it holds 2xui8, not 3xi8"),
        ("2xx", "is not an input"),
    ],
)
def test_files_that_hold_no_such_values(tmp_path: Path, spec: str, told: str) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(3))
    np.save(tmp_path / "texts.npy", np.array(["a"]))
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    np.save(tmp_path / "b.npy", np.ones(2, dtype="u1"))
    with pytest.raises(ValueError) as raised:
        InputFileReader(tmp_path).read(spec)
    assert told in str(raised.value)


def test_every_small_float_is_spelled_so_that_it_is_read_back() -> None:
    for element in ("f8E5M2", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ"):
        array = from_bytes(ValueType(element, (256,)), bytes(range(256)))
        numbers = [float(word) for word in array.words]
        assert [spelled(one, element) for one in numbers] == list(array.words)
        assert len(set(array.words) - {"nan"}) in (250, 254, 255)


def test_singles_are_spelled_so_that_they_are_read_back() -> None:
    source = np.random.default_rng(0).integers(0, 2**32, 2000, dtype=np.uint32).view(np.float32)
    words = from_bytes(ValueType("f32", source.shape), source.tobytes()).words
    np.testing.assert_array_equal(np.array(words, dtype=np.float64).astype(np.float32), source)


def test_expected_values() -> None:
    for given, known in {
        "2xi8=1 2": "2xi8=1 2", "2xf32=3": "2xf32=3 3", "-1.5": "f64=-1.5",
        "2x0xf32=": "2x0xf32=", "2x0xf32": "2x0xf32=",
    }.items():  # fmt: skip
        assert str(expected_value(InputSpec.parse(given))) == known
    both_ways = expected_value(InputSpec.parse("3xi8=188 -1 127")), InputSpec.parse("2xi1=1 0")
    assert tuple(both_ways[0].elements) == (-68, -1, 127), "bits of unsigned numbers"
    assert tuple(expected_value(both_ways[1]).elements) == (1, 0)
    with pytest.raises(ValueError):
        expected_value(InputSpec.parse("2xf32"))
    with pytest.raises(ValueError):
        expected_value(InputSpec.parse("2xf32=1 2 3"))
