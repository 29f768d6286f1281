////
"func.func"() <{function_type = () -> (), sym_name = "decode$async"}> ({
  "func.call"() <{callee = @layer_7_helper}> : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "layer_7_helper", sym_visibility = "private"}> ({
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 2: the entry is main and what it calls is f
"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  "func.call"() <{callee = @f}> : () -> ()
...
"func.func"() <{function_type = () -> (), sym_name = "f", sym_visibility = "private"}> ({
...
////
"t.global"() <{sym_name = "a weight"}> : () -> ()
"t.use"() {w = @"a weight", x = @decode::@"a weight", s = "@decode"} : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "decode"}> ({
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 2: names in quotes and nested references
"t.global"() <{sym_name = "g0"}> : () -> ()
"t.use"() {w = @g0, x = @main::@g0, s = "@decode"} : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  "func.return"() : () -> ()
}) : () -> ()
////
"func.func"() <{function_type = () -> (), sym_name = "first"}> ({
  "func.call"() <{callee = @main}> : () -> ()
  "func.call"() <{callee = @f}> : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 1: names of missing symbols are not reused
"func.func"() <{function_type = () -> (), sym_name = "g"}> ({
...
////
"func.func"() <{function_type = () -> (), sym_name = "g"}> ({
  "func.return"() : () -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  "func.return"() : () -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "f", sym_visibility = "private"}> ({
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 3: no two names become one
"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  "func.return"() : () -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  "func.return"() : () -> ()
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "g", sym_visibility = "private"}> ({
  "func.return"() : () -> ()
}) : () -> ()
////
"t.thing"() <{sym_name = "x"}> : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 0: short names stay
