"""Commands as a hostile file may have them. Whatever `victim` is in must not reach a program.

In the help of `toy-opt` and `py-opt` below are flags that no list of ours names; `no-help-opt`
says nothing about its flags.
"""

TOY_HELP = """\
OVERVIEW: toy optimizer
OPTIONS:
  --help-hidden                   - Display all available options
  --archive-as=<string>           - Where the archive goes
  --attach=<string>               - Attaches
  --beacon=<string>               - Tells of progress
  --blob=<filename>               - A blob
  --canvas=<value>                - How to draw
    =plain                        -   Plainly
    =fancy                        -   Fancily
  --depth=<uint>                  - How deep
  --emit-graph-into=<string>      - Graph
  --g                             - Alias for --emit-graph-into
  --hook=<string>                 - Called when the IR changes
  --mode-of=<string>              - File path of the modes
  --notify-socket=<int>           - Tells of progress
  --plugin-target=<string>        - A target
  --publish=<string>              - Publishes the result
  --quick                         - Quickly
  --run-with=<string>             - What runs it
  --target=<string>               - The target
  --tee[=<string>]                - Doubles the output
  --toolchain=<path>              - The toolchain
      --lower-toy                 -   Lower
        --journal=<string>        - Journal
        --helper=<string>         - Helper
        --width=<uint>            - Width
      --dump-toy                  -   Dump
        --place=<string>          - Where
"""
PY_HELP = """\
usage: py-opt [-h] [-o OUTPUT_FILE] [-p PASSES] [input_file]

options:
  -h, --help            show this help message and exit
  -o OUTPUT_FILE, --output-file OUTPUT_FILE
                        path to the output
  -p PASSES, --passes PASSES
                        Delimited list of passes.
  --module-plugin MODULE
                        imported first
  --print-op-generic    Print ops in their generic form
  -t {mlir,wat}, --target {mlir,wat}
"""

_IREE = "--iree-hal-target-backends=llvm-cpu"

COMMANDS = [
    # Flags of the default compiler: with a value of their own, and with the next word as the value.
    f"iree-compile {_IREE} --iree-load-plugin=./victim.so x.mlir",
    f"iree-compile {_IREE} --iree-load-plugin ./victim.so x.mlir",
    "iree-compile -iree-load-plugin=victim x.mlir",
    "iree-compile --iree-plugin=victim x.mlir",
    "iree-compile --exec-on-ir-change=victim x.mlir",
    "iree-compile --exec-on-ir-change victim x.mlir",
    "iree-compile --iree-hal-preprocess-executables-with=victim x.mlir",
    "iree-compile --iree-hal-dump-executable-files-to=victim x.mlir",
    "iree-compile --iree-hal-dump-executable-files-to victim x.mlir",
    "iree-compile -iree-hal-dump-executable-sources-to=/tmp/victim x.mlir",
    "iree-compile --dump-compilation-phases-to=victim x.mlir",
    "iree-compile --iree-scheduling-dump-statistics-file='victim' x.mlir",
    'iree-compile "--iree-flow-dump-dispatch-graph-output-file=victim" x.mlir',
    "iree-compile --iree-llvmcpu-static-library-output-path=victim.o x.mlir",
    "iree-compile --iree-llvmcpu-embedded-linker-path=victim x.mlir",
    "iree-compile --iree-codegen-transform-dialect-library=victim.mlir x.mlir",
    "iree-compile --iree-parameter-splat=victim.irpa x.mlir",
    "iree-compile --iree-hal-target-backends=../victim x.mlir",
    "iree-compile --iree-hal-target-device=C:\\\\victim x.mlir",
    "iree-compile --iree-llvmcpu-target-cpu=$(touch victim) x.mlir",
    "iree-compile --iree-llvmcpu-target-cpu=`touch victim` x.mlir",
    "iree-compile --iree-llvmcpu-system-linker-path=/tmp/victim x.mlir",
    "iree-compile --iree-cuda-use-ptxas-from=/tmp/victim x.mlir",
    "iree-compile --load=victim.so x.mlir",
    "iree-compile --dot-cfg-dir=victim x.mlir",
    "iree-compile --print-changed-dot-path=victim x.mlir",
    # Flags of mlir-opt.
    "mlir-opt --load-pass-plugin=victim.so --cse x.mlir",
    "mlir-opt --load-dialect-plugin victim.so --cse x.mlir",
    "mlir-opt --irdl-file=victim x.mlir",
    "mlir-opt --mlir-generate-reproducer=victim --cse x.mlir",
    "mlir-opt --mlir-pass-pipeline-crash-reproducer victim --cse x.mlir",
    "mlir-opt -log-actions-to=victim x.mlir",
    "mlir-opt --snapshot-op-locations=filename=victim x.mlir",
    "mlir-opt --snapshot-op-locations='tag=a filename=victim' x.mlir",
    "mlir-opt --gpu-module-to-binary=toolkit=victim x.mlir",
    "mlir-opt --remarks-output-file=victim x.mlir",
    # Flags that no list names, of a tool that has no profile.
    "toy-opt --archive-as=victim x.mlir",
    "toy-opt --attach=victim x.mlir",
    "toy-opt --attach victim x.mlir",
    "toy-opt -beacon=victim x.mlir",
    "toy-opt --blob=victim x.mlir",
    "toy-opt --blob victim.bin x.mlir",
    "toy-opt --canvas=victim x.mlir",
    "toy-opt --depth=victim x.mlir",
    "toy-opt --emit-graph-into=victim x.mlir",
    "toy-opt --g=victim x.mlir",
    "toy-opt --g victim x.mlir",
    "toy-opt --hook=victim x.mlir",
    "toy-opt --mode-of=victim x.mlir",
    "toy-opt --notify-socket=victim x.mlir",
    "toy-opt --plugin-target=victim x.mlir",
    "toy-opt --publish=victim x.mlir",
    "toy-opt --quick=victim x.mlir",
    "toy-opt --run-with=victim x.mlir",
    "toy-opt --target=/victim x.mlir",
    "toy-opt --tee=victim x.mlir",
    "toy-opt --toolchain=victim x.mlir",
    "toy-opt --lower-toy=journal=victim x.mlir",
    "toy-opt --lower-toy='width=1 helper=victim' x.mlir",
    "toy-opt --not-listed=victim x.mlir",
    "toy-opt --not-listed=a=victim x.mlir",
    # A tool that Python's library reads the flags of, which takes abbreviations.
    "py-opt --output-file=victim x.mlir",
    "py-opt --outp victim x.mlir",
    "py-opt --outp=victim x.mlir",
    "py-opt -ovictim x.mlir",
    "py-opt --module-plugin victim x.mlir",
    "py-opt --mod victim x.mlir",
    "py-opt -p canonicalize{file=victim} x.mlir",
    "py-opt --target=victim x.mlir",
    # A tool that says nothing.
    "no-help-opt --write-it=victim x.mlir",
    "no-help-opt --write-it victim x.mlir",
    "no-help-opt --lower=victim x.mlir",
    "no-help-opt --lower=name=victim/x x.mlir",
    "no-help-opt --plugin victim x.mlir",
    # Not flags at all.
    "iree-compile @victim.rsp x.mlir",
    "iree-compile -o victim.vmfb x.mlir",
    "iree-compile -o=victim.vmfb x.mlir",
    "iree-compile x.mlir > victim",
    "iree-compile x.mlir 2> victim",
    "iree-compile x.mlir | tee victim",
    "iree-compile x.mlir && victim",
    "iree-compile x.mlir; victim",
    "LD_PRELOAD=./victim.so iree-compile x.mlir",
    "A=1 IREE_LLVM_EMBEDDED_LINKER_PATH=victim iree-compile x.mlir",
    "iree-compile victim x.mlir",
]

PIPELINES = [
    "builtin.module(iree-util-dump-module{path=victim},cse)",
    "builtin.module(iree-hal-dump-executable-sources{path=/tmp/victim})",
    "builtin.module(func.func(snapshot-op-locations{filename=victim}))",
    "builtin.module(gpu-module-to-binary{format=fatbin toolkit=victim})",
    "builtin.module(gpu-module-to-binary{opts=victim})",
    "builtin.module(iree-hal-preprocess-executables-with-tool{command=victim})",
    "builtin.module(transform-interpreter{entry-point=../victim})",
    "any(transform-preload-library{transform-library-paths=victim})",
    "builtin.module(composite-fixed-point-pass{pipeline=snapshot-op-locations{filename=victim}})",
    "builtin.module(inline{default-pipeline=snapshot-op-locations{filename=victim}})",
    "builtin.module(lower-toy{journal=victim})",
    "builtin.module(dump-toy{place=victim})",
    "builtin.module(not-listed{options={file=victim}})",
    "builtin.module(cse{a=1 b='victim'})",
    "builtin.module(/victim)",
    "builtin.module(cse{a=1\\n path=victim})",
]
