////
"func.func"() <{function_type = (i32, i32) -> (), sym_name = "f"}> ({
^bb0(%a: i32, %b: i32):
  "cf.switch"(%a, %a, %b, %b)[^bb1, ^bb2, ^bb3, ^bb1] <{case_operand_segments = array<i32: 1, 0, 1>, case_values = dense<[3, 5, 9]> : vector<3xi32>, operandSegmentSizes = array<i32: 1, 1, 2>, weights = [1, 2, 3, 4]}> : (i32, i32, i32, i32) -> ()
  ^bb1(%0: i32):
  "func.return"() : () -> ()
  ^bb2(%1: i32):
  "t.use"(%1) : (i32) -> ()
  "func.return"() : () -> ()
  ^bb3:
  "func.return"() : () -> ()
}) : () -> ()
//// at 0 of 3: with what is passed, its items in lists, and the block that nothing else leads to
...
"cf.switch"(%a, %a, %b)[^bb1, ^bb3, ^bb1] <{case_operand_segments = array<i32: 0, 1>, case_values = dense<[5, 9]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 1, 1>, weights = [1, 3, 4]}> : (i32, i32, i32) -> ()
^bb1(%0: i32):
- "func.return"() : () -> ()
- ^bb2(%1: i32):
- "t.use"(%1) : (i32) -> ()
...
//// at 1, 2 of 3: two cases
...
"cf.switch"(%a, %a, %b)[^bb1, ^bb2] <{case_operand_segments = array<i32: 1>, case_values = dense<[3]> : vector<1xi32>, operandSegmentSizes = array<i32: 1, 1, 1>, weights = [1, 2]}> : (i32, i32, i32) -> ()
...
- ^bb3:
- "func.return"() : () -> ()
}) : () -> ()
////
"func.func"() <{function_type = (i1) -> (), sym_name = "f"}> ({
^bb0(%c: i1):
  "cf.cond_br"(%c)[^bb1, ^bb1] : (i1) -> ()
  ^bb1:
  "func.return"() : () -> ()
}) : () -> ()
//// at all of 0: not those of a condition
