////
^bb0(%a: i32):
"cf.br"(%a)[^bb1] : (i32) -> ()
^bb1(%0: i32):  // pred: ^bb0
%1 = "t.one"(%0) : (i32) -> i32
"cf.br"(%0, %1)[^bb2] : (i32, i32) -> ()
^bb2(%2: i32, %3: i32):  // pred: ^bb1
%4 = "t.two"(%2, %3) : (i32, i32) -> i32
"func.return"(%4) : (i32) -> ()
//// at all of 2: a chain becomes one block
^bb0(%a: i32):
%1 = "t.one"(%a) : (i32) -> i32
%4 = "t.two"(%a, %1) : (i32, i32) -> i32
"func.return"(%4) : (i32) -> ()
//// at 1 of 2: a single merge
^bb0(%a: i32):
"cf.br"(%a)[^bb1] : (i32) -> ()
^bb1(%0: i32):  // pred: ^bb0
%1 = "t.one"(%0) : (i32) -> i32
%4 = "t.two"(%0, %1) : (i32, i32) -> i32
"func.return"(%4) : (i32) -> ()
////
"func.func"() <{function_type = (i32) -> i32, sym_name = "f"}> ({
^bb0(%a: i32):
  "cf.br"(%a)[^bb1] : (i32) -> ()
  ^bb1(%0: i32):  // pred: ^bb0
  %1 = "t.one"(%0) : (i32) -> i32
  "cf.br"(%0, %1)[^bb2] : (i32, i32) -> ()
  ^bb2(%2: i32, %3: i32):  // pred: ^bb1
  %4 = "t.two"(%2, %3) : (i32, i32) -> i32
  "cf.br"(%4)[^bb1] : (i32) -> ()
}) : () -> ()
//// at all of 1: a block with two predecessors stays
...
- "cf.br"(%0, %1)[^bb2] : (i32, i32) -> ()
- ^bb2(%2: i32, %3: i32):  // pred: ^bb1
- %4 = "t.two"(%2, %3) : (i32, i32) -> i32
  %4 = "t.two"(%0, %1) : (i32, i32) -> i32
...
////
"cf.br"()[^bb2] : () -> ()
^bb1:  // pred: ^bb2
"func.return"() : () -> ()
^bb2:  // pred: ^bb0
"t.op"() : () -> ()
"cf.br"()[^bb1] : () -> ()
//// at all of 0: a block that is not adjacent stays
////
"cf.br"()[^bb1] : () -> ()
^bb1:  // pred: ^bb0
^bb2(%0: i32):  // no predecessors
//// at all of 0: a block without ops stays
////
^bb0(%a: i32):
"spirv.Branch"(%a)[^bb1] : (i32) -> ()
^bb1(%0: i32):  // pred: ^bb0
%1 = "t.one"(%0) : (i32) -> i32
"spirv.Branch"(%0, %1)[^bb2] : (i32, i32) -> ()
^bb2(%2: i32, %3: i32):  // pred: ^bb1
%4 = "t.two"(%2, %3) : (i32, i32) -> i32
"func.return"(%4) : (i32) -> ()
//// at all of 2: jumps are known by their shape
^bb0(%a: i32):
%1 = "t.one"(%a) : (i32) -> i32
%4 = "t.two"(%a, %1) : (i32, i32) -> i32
"func.return"(%4) : (i32) -> ()
