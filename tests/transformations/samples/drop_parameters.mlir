////
#alias = #t.target<hip, chip = x>
"t.op"() {layout = #t.layout<constants = 4, bindings = [#t.b<x, "A|B">, <y>], flags = Z>} : () -> ()
"t.op"() {config = #t.config<tiles = [[1, 64], [2]]>, at = #t.at<0, step = 2>} : () -> ()
"t.op"() {map = affine_map<(d0, d1) -> (d0)>, v = dense<[1, 2]> : tensor<2xi8>} : () -> ()
//// at all of 12: all parameters
"t.op"() {layout = #t.layout} : () -> ()
"t.op"() {config = #t.config, at = #t.at<0>} : () -> ()
"t.op"() {map = affine_map<(d0, d1) -> (d0)>, v = dense<[1, 2]> : tensor<2xi8>} : () -> ()
//// at 3 of 12: one parameter
"t.op"() {layout = #t.layout<bindings = [#t.b<x, "A|B">, <y>], flags = Z>} : () -> ()
"t.op"() {config = #t.config<tiles = [[1, 64], [2]]>, at = #t.at<0, step = 2>} : () -> ()
"t.op"() {map = affine_map<(d0, d1) -> (d0)>, v = dense<[1, 2]> : tensor<2xi8>} : () -> ()
////

"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    "t.op"() {layout = #t.layout<constants = 4, bindings = [#t.b<x, "A|B">, <y>], flags = Z>} : () -> ()
    "t.op"() {config = #t.config<tiles = [[1, 64], [2]]>, at = #t.at<0, step = 2>} : () -> ()
    "t.op"() {map = affine_map<(d0, d1) -> (d0)>, v = dense<[1, 2]> : tensor<2xi8>} : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
//// at 1 of 11: one item of a list
...
    "t.op"() {layout = #t.layout<constants = 4, bindings = [#t.b<x, "A|B">], flags = Z>} : () -> ()
...
//// at 5 of 11: one item of a list
...
    "t.op"() {config = #t.config<tiles = [[64], [2]]>, at = #t.at<0, step = 2>} : () -> ()
...
//// at 8 of 11: one item of a list
...
    "t.op"() {config = #t.config<tiles = [[1, 64]]>, at = #t.at<0, step = 2>} : () -> ()
...
