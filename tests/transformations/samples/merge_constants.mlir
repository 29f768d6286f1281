////
%0 = "t.true"() : () -> i1
%1 = "t.one"() : () -> i1
%2 = "t.true"() : () -> i1
"t.use"(%0, %1, %2) : (i1, i1, i1) -> ()
//// at all of 1: later equal constants are replaced by the first
%0 = "t.true"() : () -> i1
%1 = "t.one"() : () -> i1
"t.use"(%0, %1, %0) : (i1, i1, i1) -> ()
