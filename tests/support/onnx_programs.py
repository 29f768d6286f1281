"""Programs of one ONNX operator."""


def tensor(dims: str, element: str = "f32") -> str:
    """A type of the torch dialect."""
    return f"!torch.vtensor<[{dims}],{element}>"


def program(
    name: str, operands: list[str], result: str, attributes: str = "", opset: str = "21"
) -> str:
    """A function that applies one operator, in generic form."""
    given = ", ".join(f"%{n}: {type_}" for n, type_ in enumerate(operands))
    used = ", ".join(f"%{n}" for n in range(len(operands)))
    types = ", ".join(operands)
    return (
        '"builtin.module"() ({\n'
        f'  "func.func"() <{{function_type = ({types}) -> {result}, sym_name = "f"}}> ({{\n'
        f"  ^bb0({given}):\n"
        f'    %r = "torch.operator"({used}) <{{name = "onnx.{name}"}}> {{{attributes}}}'
        f" : ({types}) -> {result}\n"
        f'    "func.return"(%r) : ({result}) -> ()\n'
        f"  }}) {{torch.onnx_meta.opset_version = {opset} : si64}} : () -> ()\n"
        "}) : () -> ()\n"
    )
