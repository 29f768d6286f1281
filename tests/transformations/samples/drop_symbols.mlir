////
"t.global"() <{sym_name = "used"}> : () -> ()
"t.global"() <{sym_name = "unused"}> : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  "t.load"() {from = @used} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
//// at 0 of 2: only unreferenced symbols
"t.global"() <{sym_name = "used"}> : () -> ()
- "t.global"() <{sym_name = "unused"}> : () -> ()
...
////
"gpu.launch_func"() {kernel = @other::@main} : () -> ()
"func.return"() : () -> ()
}) : () -> ()
"gpu.module"() <{sym_name = "main"}> ({
  "gpu.func"() <{function_type = () -> (), sym_name = "main"}> ({
    "gpu.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"gpu.module"() <{sym_name = "other"}> ({
  "gpu.func"() <{function_type = () -> (), sym_name = "main"}> ({
    "gpu.return"() : () -> ()
  }) : () -> ()
//// at all of 3: a nested reference is to what is in the symbol before it
"builtin.module"() ({
  "gpu.module"() <{sym_name = "other"}> ({
      "gpu.func"() <{function_type = () -> (), sym_name = "main"}> ({
        "gpu.return"() : () -> ()
      }) : () -> ()
    }) : () -> ()
}) : () -> ()
////
"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  "t.call"() {callee = @helper} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "helper", sym_visibility = "private"}> ({
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 1: a symbol without references becomes public
"func.func"() <{function_type = () -> (), sym_name = "helper"}> ({
  "func.return"() : () -> ()
}) : () -> ()
////
"t.global"() <{sym_name = "unused"}> : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  "t.call"() {callee = @helper} : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "helper", sym_visibility = "private"}> ({
  "func.return"() : () -> ()
}) : () -> ()
//// at 0 of 2: what is still used stays private
- "t.global"() <{sym_name = "unused"}> : () -> ()
...
