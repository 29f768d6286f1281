"""The last look at a report before it leaves the house."""

import pytest

from reducer.bundle.sharing import NotAnonymous, refusing

ORIGINAL = """// secret comment
module @acme_net {
  func.func @decode(%hidden_states: tensor<4xf32>, %arg1234: i1) -> tensor<4xf32> {
    %0 = "x.bad"(%hidden_states) {layer = "acme.layers.0.mlp", mode = "x"} : (tensor<4xf32>) -> ()
  }
}
"""


def look(text: str, *told: str) -> None:
    refusing(ORIGINAL, told)({"report.md": text.encode()})


@pytest.mark.parametrize("name", ["acme_net", "hidden_states", "acme.layers.0.mlp", "decode"])
def test_a_name_anywhere_is_found(name: str) -> None:
    for text in (name, f"error: @{name} has", f"f$async_{name}_dispatch_0"):
        with pytest.raises(NotAnonymous, match=name):
            look(text)
    look(f"the word {name}", name)


def test_what_tells_nothing_may_stay() -> None:
    look('%arg1234 = "x.bad"() {layer, mode = "s0"} : tensor<4xf32> func.func')
    look("a secret comment")  # comments are not names, and are not in the report


def test_it_says_where_and_what_to_do() -> None:
    with pytest.raises(NotAnonymous, match=r"'acme_net' in the report\.md.*--keep-name"):
        look("acme_net")
