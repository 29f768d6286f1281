////
%0 = "t.loop"() ({
  %1 = "t.a"() : () -> i32
  %2 = "t.b"(%1) : (i32) -> i32
  "t.effect"(%2) : (i32) -> ()
  %3 = "t.c"() : () -> i32
  "t.yield"(%3) : (i32) -> ()
}) : () -> i32
"func.return"(%0) : (i32) -> ()
//// at 0 of 4: users are deleted too
%0 = "t.loop"() ({
  %3 = "t.c"() : () -> i32
  "t.yield"(%3) : (i32) -> ()
}) : () -> i32
"func.return"(%0) : (i32) -> ()
////
%0 = "t.if"() ({
  %1 = "t.a"() : () -> i32
  "t.yield"(%1) : (i32) -> ()
}) : () -> i32
"func.return"(%0) : (i32) -> ()
//// at all of 1: an op whose value a terminator needs is kept
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
//// at 1 of 5: bodies outside functions are reduced too
...
- %1 = "t.b"(%0) : (i32) -> i32
- "t.effect"(%1) : (i32) -> ()
...
