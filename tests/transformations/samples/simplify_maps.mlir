////
"t.op"() <{a = affine_map<(d0)[s0] -> (d0 - (s0 + 2) * 8 + 4, s0)>}> : () -> ()
//// at 0 of 5: a map
"t.op"() <{a = affine_map<(d0)[s0] -> (-(s0 + 2) * 8 + 4, s0)>}> : () -> ()
//// at 1 of 5: a map
"t.op"() <{a = affine_map<(d0)[s0] -> (d0 + 4, s0)>}> : () -> ()
//// at 2 of 5: a map
"t.op"() <{a = affine_map<(d0)[s0] -> (d0 - (s0 + 2) * 8, s0)>}> : () -> ()
//// at 3 of 5: a map
"t.op"() <{a = affine_map<(d0)[s0] -> (s0)>}> : () -> ()
//// at 4 of 5: a map
"t.op"() <{a = affine_map<(d0)[s0] -> (d0 - (s0 + 2) * 8 + 4)>}> : () -> ()
////
"t.op"() <{a = affine_set<(d0) : (-d0 + 9 >= 0, d0 == 0)>}> : () -> ()
//// at 0 of 4: a set
"t.op"() <{a = affine_set<(d0) : (9 >= 0, d0 == 0)>}> : () -> ()
//// at 1 of 4: a set
"t.op"() <{a = affine_set<(d0) : (-d0 >= 0, d0 == 0)>}> : () -> ()
//// at 2 of 4: a set
"t.op"() <{a = affine_set<(d0) : (d0 == 0)>}> : () -> ()
//// at 3 of 4: a set
"t.op"() <{a = affine_set<(d0) : (-d0 + 9 >= 0)>}> : () -> ()
////
"t.op"() <{a = affine_map<(d0, d1, d2) -> (d0, d2)>}> : () -> ()
//// at all of 0: not an indexing map
////
"t.op"() <{a = affine_map<() -> (4 + 5)>, b = affine_map<() -> (6, 7)>}> : () -> ()
//// at all of 4: one edit for each map
"t.op"() <{a = affine_map<() -> (4)>, b = affine_map<() -> (6)>}> : () -> ()
