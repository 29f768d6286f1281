////
#loc1 = loc("one")
#loc2 = loc("two")
"builtin.module"() ({
  %0 = "t.a"() {s = " loc(x)"} : () -> i1 loc(#loc1)
  %1 = "t.for"(%0) ({
    "t.end"() : () -> ()
  }) : (i1) -> i1 loc(#loc2)
}) : () -> ()
//// at 1 of 2: the location of an op with a region is behind it
#loc1 = loc("one")
- #loc2 = loc("two")
...
  }) : (i1) -> i1
}) : () -> ()
//// at all of 2: all locations with their aliases
"builtin.module"() ({
  %0 = "t.a"() {s = " loc(x)"} : () -> i1
  %1 = "t.for"(%0) ({
    "t.end"() : () -> ()
  }) : (i1) -> i1
}) : () -> ()
////
#loc1 = loc("one")
#loc2 = loc("two")
"builtin.module"() ({
  %0 = "t.a"() {s = " loc(x)"} : () -> i1 at(#loc1)
  %1 = "t.for"(%0) ({
    "t.end"() : () -> ()
  }) : (i1) -> i1 at(#loc2)
}) : () -> ()
//// at all of 0: each op with a location is a site
