////
%0 = "t.unused"() : () -> i32
%1 = "t.used"() : () -> i32
"t.effect"(%1) : (i32) -> ()
//// at 0 of 3: unused ops
%1 = "t.used"() : () -> i32
"t.effect"(%1) : (i32) -> ()
////
%0 = "t.a"() : () -> i32
%1 = "t.b"(%0) : (i32) -> i32
%2 = "t.c"(%1) : (i32) -> i32
"func.return"(%0) : (i32) -> ()
//// at 1 of 2: unused chains are deleted at once or one by one
%0 = "t.a"() : () -> i32
"func.return"(%0) : (i32) -> ()
//// at 0 of 2: unused chains are deleted at once or one by one
%0 = "t.a"() : () -> i32
%1 = "t.b"(%0) : (i32) -> i32
"func.return"(%0) : (i32) -> ()
////
%0 = "t.a"() : () -> i32
%1 = "t.b"(%0) : (i32) -> i32
%2 = "t.c"(%0) : (i32) -> i32
%3 = "t.d"() : () -> i32
//// at all of 3: what several unused ops share goes with all of them
"func.return"() : () -> ()
//// at 0, 2 of 3: what several unused ops share goes with all of them
%0 = "t.a"() : () -> i32
%2 = "t.c"(%0) : (i32) -> i32
////
"builtin.module"() ({
  "t.pattern"() <{sym_name = "p"}> ({
    %0 = "t.a"() : () -> i32
    %1 = "t.b"(%0) : (i32) -> i32
    "t.effect"(%1) : (i32) -> ()
    "t.end"() : () -> ()
  }) : () -> ()
  %2 = "t.before"() : () -> i32
  %3 = "t.lone"(%2) : (i32) -> i32
}) : () -> ()
//// at all of 4: bodies outside functions are reduced too
"builtin.module"() ({
  "t.pattern"() <{sym_name = "p"}> ({
    "t.end"() : () -> ()
  }) : () -> ()
}) : () -> ()
////
^bb0(%arg0: i32):
%0 = "t.value"() : () -> i32
"t.store"(%arg0) : (i32) -> ()
//// at all of 2: ops without results may be left for later
^bb0(%arg0: i32):
