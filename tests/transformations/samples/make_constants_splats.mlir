////
"t.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> ()
"t.constant"() <{value = dense<[[1.0, 2.0]]> : vector<1x2xf32>}> : () -> ()
"t.constant"() <{value = dense<"0x00FF"> : tensor<2xi8>}> : () -> ()
"t.constant"() <{value = dense<[true, false]> : tensor<2xi1>}> : () -> ()
"t.constant"() <{value = dense<[(1.0, 2.0), (0.0, 1.0)]> : tensor<2xcomplex<f32>>}> : () -> ()
"t.constant"() <{value = #t.box<dense<[1, 2]> : tensor<2xsi64>>}> : () -> ()
//// at all of 12: zeros
"t.constant"() <{value = dense<0> : tensor<2xi32>}> : () -> ()
"t.constant"() <{value = dense<0.0> : vector<1x2xf32>}> : () -> ()
"t.constant"() <{value = dense<0> : tensor<2xi8>}> : () -> ()
"t.constant"() <{value = dense<false> : tensor<2xi1>}> : () -> ()
"t.constant"() <{value = dense<(0.0, 0.0)> : tensor<2xcomplex<f32>>}> : () -> ()
"t.constant"() <{value = #t.box<dense<0> : tensor<2xsi64>>}> : () -> ()
////
"t.c"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> ()
//// at 0 of 2: ones are the second choice
"t.c"() {value = dense<1.0> : tensor<2xf32>} : () -> ()
////
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    "t.c"() <{value = dense_resource<w> : tensor<2xf32>}> : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      w: "0x0400000000"
    }
  }
#-}
//// at all of 2: a resource loses its blob
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    "t.c"() <{value = dense<0.0> : tensor<2xf32>}> : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

////
"t.c"() <{value = dense<3.0> : tensor<2xf32>}> : () -> ()
//// at all of 0: splats stay
