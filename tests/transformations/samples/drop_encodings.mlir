////
#enc = #t.encoding<{map = affine_map<(d0) -> (d0)>}>
^bb0(%arg0: tensor<4xf32, #enc>):
%0 = "t.a"(%arg0) {s = "tensor<4xf32, #b>"} : (tensor<4xf32, #enc>) -> memref<2xf32, strided<[1], offset: ?>, #t.space<workgroup>>
//// at all of 3: all encodings
^bb0(%arg0: tensor<4xf32>):
%0 = "t.a"(%arg0) {s = "tensor<4xf32, #b>"} : (tensor<4xf32>) -> memref<2xf32>
//// at 2 of 3: one kind of encoding
#enc = #t.encoding<{map = affine_map<(d0) -> (d0)>}>
^bb0(%arg0: tensor<4xf32, #enc>):
%0 = "t.a"(%arg0) {s = "tensor<4xf32, #b>"} : (tensor<4xf32, #enc>) -> memref<2xf32, strided<[1], offset: ?>>
////
#enc = #t.encoding<{map = affine_map<(d0) -> (d0)>}>
^bb0(%arg0: tensor<4xf32>):
%0 = "t.a"(%arg0) {s = "tensor<4xf32, #b>"} : (tensor<4xf32>) -> memref<2xf32>
//// at all of 0: plain types are unchanged
////
^bb0(%arg0: tensor<4xf32, #t.enc<">, ">>):
"t.a"(%arg0) : (tensor<4xf32, #t.enc<">, ">>) -> ()
//// at all of 1: brackets and commas in the strings of an encoding
^bb0(%arg0: tensor<4xf32>):
"t.a"(%arg0) : (tensor<4xf32>) -> ()
