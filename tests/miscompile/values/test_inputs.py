"""Choosing inputs."""

import math
import re
from dataclasses import replace

import pytest

from reducer.miscompile.values import inputs as values_inputs
from reducer.miscompile.values.input_files import from_bytes
from reducer.miscompile.values.inputs import FLOATS as RANGES
from reducer.miscompile.values.inputs import (
    SEEDS,
    STYLES,
    Trial,
    ValueStyle,
    borders_of,
    obstacle_to,
    trials,
)
from reducer.miscompile.values.programs import Function, ValueType, numbers_of, spelled
from reducer.miscompile.values.user_inputs import InputSpec

EIGHT_BITS = "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"
FLOATS, WORDS = ValueType("f32", (4,)), ValueType("i32", (None, 2))


def function(*inputs: ValueType | None) -> Function:
    return Function("f", inputs, ())


def all_numbers(element: str) -> list[float]:
    """The numbers of a type of eight bits."""
    words = from_bytes(ValueType(element, (256,)), bytes(range(256))).words
    return list(map(float, words))


def style(name: str) -> ValueStyle:
    return next(one for one in STYLES if one.name == name)


def test_inputs_are_the_same_every_time() -> None:
    assert Trial().inputs(function(FLOATS, WORDS)) == Trial().inputs(function(FLOATS, WORDS))
    assert Trial(seed=1).inputs(function(FLOATS)) != Trial().inputs(function(FLOATS))


def test_an_argument_keeps_its_values_when_those_of_other_types_go() -> None:
    both, one = Trial().inputs(function(WORDS, FLOATS)), Trial().inputs(function(FLOATS))
    assert both is not None and one is not None
    assert both[1] == one[0]


def test_dynamic_dimensions_and_scalars_get_the_trial_size() -> None:
    inputs = Trial(size=3).inputs(function(WORDS, ValueType("index", None)))
    assert inputs is not None
    assert re.fullmatch(r"3x2xi32=([0-3] ){5}[0-3]", inputs[0])
    assert inputs[1] == "3"


def test_scalars_differ_where_a_program_may_be_undefined_for_it() -> None:
    """Sizes that differ may contradict a program; but two that are equal may be exchanged."""
    three = function(*[ValueType("i32", None)] * 3)
    assert Trial(style("small"), 5, seed=1).inputs(three) == ["5", "5", "5"]
    assert Trial(style("wide"), 5, seed=0).inputs(three) == ["5", "5", "5"]
    assert Trial(style("wide"), 5, seed=1).inputs(three) == ["5", "4", "3"]
    assert Trial(style("wide"), 1, seed=1).inputs(three) == ["1", "0", "0"]


def test_scalars_alone_are_numbers_like_any_other() -> None:
    """Nothing has a size that they could be; the first values may be sizes all the same."""
    two = function(*[ValueType("i8", None)] * 2)
    found = [trial.inputs(two) for trial in trials(has_sizes=False)]
    assert found[0] == ["5", "5"]
    pairs = {tuple(map(int, inputs or ())) for inputs in found}
    assert len(pairs) > 20
    assert {-128, 127, 0, 1, -1} <= {first for first, _ in pairs}
    assert any(first != second and min(first, second) < -1 for first, second in pairs)


def test_a_large_tensor_repeats_its_values() -> None:
    inputs = Trial().inputs(function(ValueType("f32", (50, 50))))
    assert inputs is not None
    words = inputs[0].partition("=")[2].split()
    assert len(words) == 2500 and words[0] == words[1021]


def test_integers_stay_in_the_range_of_their_type() -> None:
    for name in ("wide", "special"):
        for element, low, high in (("i1", 0, 1), ("ui8", 0, 255), ("i8", -128, 127)):
            type_ = ValueType(element, (200,))
            inputs = Trial(style(name)).inputs(function(type_))
            assert inputs is not None
            assert all(low <= int(word) <= high for word in inputs[0].partition("=")[2].split())


def test_floats_have_fractions_beside_integers_in_range() -> None:
    """A float that a program takes for an integer would not show among whole numbers."""
    shape = (64,)
    (numbers,) = Trial(style("small"), seed=1).inputs(function(ValueType("f32", shape))) or []
    parsed = [float(word) for word in numbers.partition("=")[2].split()]
    assert any(one % 1 for one in parsed) and all(one % 0.25 == 0 for one in parsed)
    (indices,) = Trial(style("positive"), seed=1).inputs(function(ValueType("i32", shape))) or []
    assert set(indices.partition("=")[2].split()) == {"1", "2", "3"}


@pytest.mark.parametrize("type_", [FLOATS, WORDS])
def test_half_of_a_sparse_tensor_is_zero(type_: ValueType) -> None:
    for seed in (0, 1):
        inputs = Trial(style("sparse"), seed=seed).inputs(function(type_))
        assert inputs is not None
        words = inputs[0].partition("=")[2].split()
        assert words.count("0") == len(words) // 2


SPECIALS = {"inf", "-inf", "nan", "-0"}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("count", [8, 50, 3000])
def test_every_special_value_is_among_the_special_inputs(seed: int, count: int) -> None:
    inputs = Trial(style("special"), seed=seed).inputs(function(ValueType("f32", (count,))))
    assert inputs is not None
    words = set(inputs[0].partition("=")[2].split())
    assert words >= SPECIALS | {"0", "1.2676506e+30", "-1.2676506e+30"}


def test_a_tensor_with_no_room_for_all_special_values_gets_the_most_telling_ones() -> None:
    inputs = Trial(style("special")).inputs(function(FLOATS))
    again = Trial(style("special"), seed=1).inputs(function(FLOATS))
    assert inputs is not None and again is not None
    assert set(inputs[0].partition("=")[2].split()) == SPECIALS
    assert set(again[0].partition("=")[2].split()).isdisjoint(SPECIALS)


@pytest.mark.parametrize("element", EIGHT_BITS)
@pytest.mark.parametrize("name", ["wide", "special"])
def test_every_float_is_a_number_of_its_type(element: str, name: str) -> None:
    """Runtimes and references round what is not, each in its own way."""
    numbers = {spelled(one, element) for one in all_numbers(element)}
    for seed in (0, 1):
        inputs = Trial(style(name), seed=seed).inputs(function(ValueType(element, (1000,))))
        assert inputs is not None
        assert set(inputs[0].partition("=")[2].split()) <= numbers


@pytest.mark.parametrize("element", EIGHT_BITS)
def test_wide_floats_go_beyond_where_those_of_eight_bits_end(element: str) -> None:
    """As far as they end within reach: a conversion to them has to be tried there."""
    most = max(filter(math.isfinite, all_numbers(element)))
    (word,) = Trial(style("wide"), seed=1).inputs(function(ValueType("f32", (200,)))) or []
    assert any(float(one) > most for one in word.partition("=")[2].split()) == (most < 480)
    (word,) = Trial(style("wide"), seed=1).inputs(function(ValueType(element, (200,)))) or []
    assert str(int(min(most, 448))) in word.partition("=")[2].split()


@pytest.mark.parametrize("element", ["f8E5M2", "f8E4M3FN", "bf16", "f16"])
def test_a_sparse_tensor_of_small_floats_has_exact_sums(element: str) -> None:
    """In any order: the sizes of all numbers add up to what the type holds exactly."""
    for count in (1, 2, 64, 700):
        (word,) = (
            Trial(style("sparse"), seed=1).inputs(function(ValueType(element, (count,)))) or ()
        )
        numbers = [float(one) for one in word.partition("=")[2].split()]
        assert 0 < sum(map(abs, numbers)) <= 2 ** RANGES[element].digits
        assert numbers[0] and numbers[-1], "what is at the ends is lost most often"


def test_truth_values_are_passed_as_bytes() -> None:
    given = (InputSpec.parse("3xi1=1,0,1"), InputSpec.parse("2xi1=1"))
    types = [ValueType("i1", (3,)), ValueType("i1", (2,)), ValueType("i1", (2,))]
    inputs = Trial(user_inputs=given).inputs(function(*types))
    assert inputs is not None
    assert inputs[:2] == ["3xi1=01 00 01", "2xi1=01 01"]
    assert re.fullmatch("2xi1=0[01] 0[01]", inputs[2])


def test_elements_smaller_than_a_byte_do_not_cross_the_boundary() -> None:
    four = ValueType("i4", (2,))
    assert obstacle_to(Function("f", (FLOATS,), (four,)))
    assert not obstacle_to(Function("f", (ValueType("i4", None),), (FLOATS,)))  # passed as i32
    assert not obstacle_to(replace(function(four), in_memory=True))
    assert "takes or returns i8 and converts it to or from i4" in obstacle_to(function(four))
    assert obstacle_to(function(FLOATS)) == ""
    assert "neither a number nor a tensor" in obstacle_to(function(FLOATS, None))


@pytest.mark.parametrize("element", ["f16", "bf16", "f8E4M3FN", "i8", "i16"])
def test_a_short_scalar_is_not_read_from_what_the_runtime_prints(element: str) -> None:
    scalar, tensor = ValueType(element, None), ValueType(element, (2,))
    assert obstacle_to(Function("f", (tensor,), (scalar,)))
    assert bool(obstacle_to(Function("f", (scalar,), (tensor,)))) == scalar.is_float
    assert not obstacle_to(replace(function(scalar), in_memory=True))


@pytest.mark.parametrize("style", STYLES)
def test_complex_numbers_are_finite(style: ValueStyle) -> None:
    type_ = ValueType("cf64", (2, 500))
    words = Trial(style).inputs(Function("f", (type_,), (type_,)))
    assert words is not None
    spelled_type, _, values = words[0].partition("=")
    parts = numbers_of(values.split(), type_)
    assert spelled_type == "2x500xcf64" and len(parts) == 2000 and len(set(parts)) > 5
    assert all(math.isfinite(one) and (one or math.copysign(1, one) > 0) for one in parts)


def test_a_complex_scalar_cannot_be_passed() -> None:
    scalar = Function("f", (), (ValueType("cf64", None),))
    assert "a tensor of one cf64" in obstacle_to(scalar)


def test_an_index_tensor_is_passed_as_integers() -> None:
    inputs = Trial().inputs(function(ValueType("index", (2,))))
    assert inputs is not None and inputs[0].startswith("2xi64=")


def test_a_strange_type_cannot_be_made() -> None:
    assert Trial().inputs(function(FLOATS, None)) is None


def test_the_user_s_words_go_to_the_arguments_that_they_fit() -> None:
    given = tuple(map(InputSpec.parse, ("3x2xi32=1,2,3,4,5,6", "4xf32", "9")))
    inputs = Trial(user_inputs=given).inputs(
        function(ValueType("i64", None), FLOATS, WORDS, WORDS, ValueType("f64", (1,)))
    )
    assert inputs is not None
    assert inputs[0] == "9"
    assert inputs[2] == "3x2xi32=1,2,3,4,5,6"
    assert inputs[3].startswith("5x2xi32=")


def test_a_type_alone_or_with_values() -> None:
    assert InputSpec.parse("2xindex") == InputSpec(ValueType("index", (2,)), None)
    assert InputSpec.parse("f32=1.5") == InputSpec(ValueType("f32", ()), "1.5")
    assert InputSpec.parse("-1.5") == InputSpec(None, "-1.5")


@pytest.mark.parametrize("text", ["2xx3", "", "tensor<2xf32>"])
def test_words_that_are_no_input(text: str) -> None:
    with pytest.raises(ValueError):
        InputSpec.parse(text)


def test_every_style_is_tried_with_every_size() -> None:
    found = trials()
    assert {trial.style.name for trial in found} == {style.name for style in STYLES}
    assert found[0].style.name == "small"
    assert len(set(map(str, found))) == len(found)


def test_a_large_program_is_tried_with_what_shows_most_first() -> None:
    found = trials(varied=True)
    assert sorted(map(str, found)) == sorted(map(str, trials()))
    assert str(found[0]) == str(trials()[0])
    ways = list(dict.fromkeys((trial.style.name, trial.seed) for trial in found))
    assert ways[1:5] == [("wide", 0), ("special", 0), ("wide", 1), ("special", 1)]


@pytest.mark.parametrize("name", ["wide", "special"])
def test_unsigned_integers_have_the_bits_of_signed_ones(name: str) -> None:
    words = Trial(style(name)).inputs(function(ValueType("ui8", (64,)))) or [""]
    values = [int(value) for value in words[0].partition("=")[2].split()]
    assert min(values) < 128 <= max(values)


def test_arguments_of_one_element_get_different_special_values() -> None:
    bounds = function(ValueType("ui8", ()), ValueType("ui8", ()))
    for seed in range(SEEDS):
        low, high = Trial(style("special"), seed=seed).inputs(bounds) or []
        assert low != high


@pytest.mark.parametrize("shape", [None, ()])
def test_a_number_is_nearly_every_special_value_once(
    shape: tuple[int, ...] | None,
) -> None:
    one = function(ValueType("f32", shape))
    special = [trial for trial in trials() if trial.style.specials]
    words = {(trial.inputs(one) or [""])[0].rpartition("=")[2] for trial in special}
    assert {"inf", "-inf", "nan", "-0"} <= words
    assert len(words) == len(special)


def test_arguments_of_one_shape_differ_whatever_holds_them() -> None:
    tensor = ValueType("i32", (4,))
    vector = ValueType("i32", (4,), is_vector=True)
    words = Trial().inputs(function(tensor, vector))
    assert words is not None and words[0] != words[1]


@pytest.mark.parametrize(
    ("element", "pairs"),
    [
        ("f32", {("inf", "-inf"), ("-0", "0"), ("nan", "7.888609e-31"), ("-inf", "nan")}),
        ("i8", {("-128", "-1"), ("-128", "-128"), ("0", "-128"), ("127", "1"), ("-1", "127")}),
    ],
)
def test_special_numbers_meet_those_with_which_ops_go_wrong(
    element: str, pairs: set[tuple[str, str]]
) -> None:
    two = function(*[ValueType(element, None)] * 2)
    special = [trial for trial in trials(has_sizes=False) if trial.style.specials]
    assert pairs <= {tuple(trial.inputs(two) or ()) for trial in special}


def test_a_large_tensor_costs_no_more_numbers_than_it_has_different_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []

    def counted(number: float, element: str) -> str:
        asked.append(number)
        return spelled(number, element)

    monkeypatch.setattr(values_inputs, "spelled", counted)
    types = [ValueType("f64", (3, size, 7)) for size in (300, 400)]
    trial = Trial(style("wide"), seed=7)
    first, other = trial.inputs(function(*types)) or []
    assert trial.inputs(function(*types)) == [first, other]
    assert len(asked) <= 2 * 1021
    assert len(first.split(" ")) == 6300


@pytest.mark.parametrize(
    ("text", "types", "wanted"),
    [
        ("%c = arith.constant 47 : i64", ["i64"], "47"),
        ('"arith.constant"() <{value = 1000 : i16}> : () -> i16', ["i1", "i16"], "999"),
        ("%c = arith.constant dense<[7, 300]> : tensor<2xi32>", ["i32"], "301"),
        ("%0 = arith.trunci %a : i64 to i8", ["i64"], "255"),
        ("%0 = arith.trunci %a : i64 to i8", ["tensor<99xi64>"], "-256"),
        ("%c = arith.constant 1.25e+02 : f32", ["tensor<99xf32>"], "126"),
        ('%0 = "tosa.const"() <{values = dense<600> : tensor<i32>}>', ["tensor<9xi32>"], "601"),
    ],
)
def test_values_around_what_a_program_names_are_tried(
    text: str, types: list[str], wanted: str
) -> None:
    several = Function("f", tuple(map(ValueType.parse, types)), ())

    def tried(borders: tuple[float, ...]) -> set[str]:
        each = trials(has_sizes=False, borders=borders)
        words = [(trial.inputs(several) or [""])[-1] for trial in each]
        return {value for word in words for value in word.rpartition("=")[2].split(" ")}

    assert wanted in tried(borders_of(text))
    assert wanted not in tried(())


def test_names_and_sizes_are_no_numbers_of_a_program() -> None:
    text = """\
      #map = affine_map<(d0) -> (d0 + 77)>
      func.func @const9(%12: tensor<55xf32>) {
        %cst_33 = arith.constant dense<-3.5> : tensor<44xf32>
    """
    assert set(borders_of(text)) == {-3.5, -4.5, -2.5, 3.5, *borders_of("")}
