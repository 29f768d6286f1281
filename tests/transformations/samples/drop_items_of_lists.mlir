////
^bb0(%a: !t.handle):
"t.tile"(%a) <{names = ["x, y", "z"], scalable = array<i1: false, true, false>, sizes = array<i64: 8, 4, 2>}> : (!t.handle) -> ()
//// at 1 of 11: an item alone and with those of other lists
^bb0(%a: !t.handle):
"t.tile"(%a) <{names = ["x, y"], scalable = array<i1: false, true, false>, sizes = array<i64: 8, 4, 2>}> : (!t.handle) -> ()
//// at 4 of 11: an item alone and with those of other lists
^bb0(%a: !t.handle):
"t.tile"(%a) <{names = ["x, y", "z"], scalable = array<i1: false, false>, sizes = array<i64: 8, 4, 2>}> : (!t.handle) -> ()
//// at 5 of 11: an item alone and with those of other lists
^bb0(%a: !t.handle):
"t.tile"(%a) <{names = ["x, y", "z"], scalable = array<i1: false, false>, sizes = array<i64: 8, 2>}> : (!t.handle) -> ()
////
"t.tile"() <{sizes = array<i64: 8, 4>}> : () -> ()
//// at all of 2: a list without items goes
"t.tile"() : () -> ()
////
^bb0(%a: tensor<8x4xf32>):
"t.slice"(%a) <{sizes = array<i64: 8, 4>, steps = array<i64: 1, 1>}> : (tensor<8x4xf32>) -> ()
//// at all of 0: sizes of shapes stay
