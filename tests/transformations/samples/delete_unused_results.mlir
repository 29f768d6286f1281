////
^bb0(%arg0: i32):
%0 = "t.value"() : () -> i32
"t.store"(%arg0) : (i32) -> ()
//// at all of 1: ops without results may be left for later
^bb0(%arg0: i32):
"t.store"(%arg0) : (i32) -> ()
