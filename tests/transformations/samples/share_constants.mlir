////
^bb0(%a: i32):
%0 = "t.constant"() <{value = true}> : () -> i1
%1 = "t.constant"() <{value = 1 : i32}> : () -> i32
%2 = "t.add"(%a, %1) : (i32, i32) -> i32
"t.use"(%0, %2) : (i1, i32) -> ()
//// at 1 of 2: what a constant is used with gets the type of the other
^bb0(%a: i1):
%0 = "t.constant"() <{value = true}> : () -> i1
%2 = "t.add"(%a, %0) : (i1, i1) -> i1
"t.use"(%0, %2) : (i1, i1) -> ()
