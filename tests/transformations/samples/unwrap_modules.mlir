////
"builtin.module"() ({
  "builtin.module"() <{sym_name = "inner"}> ({
    "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
      "func.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
//// at all of 1: a module in a module is replaced by its functions
  "func.return"() : () -> ()
////
"builtin.module"() ({
  "builtin.module"() <{sym_name = "inner"}> ({
    "builtin.module"() ({
    "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
      "func.return"() : () -> ()
    }) : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
//// at 0, 2 of 3: modules in each other go one by one
"builtin.module"() ({
- "builtin.module"() <{sym_name = "inner"}> ({
...
- }) : () -> ()
////
"builtin.module"() ({
"builtin.module"() ({
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
"func.return"() : () -> ()
}) : () -> ()
}) : () -> ()
}) : () -> ()
//// at all of 1: modules in each other go one by one
"func.return"() : () -> ()
////
"func.return"() : () -> ()
//// at all of 0: modules in each other go one by one
////
"builtin.module"() ({
  "a.executable"() <{sym_name = "x"}> ({
    "a.variant"() <{sym_name = "v"}> ({
      "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
      "func.return"() : () -> ()
    }) : () -> ()
    }) : () -> ()
    "a.variant"() <{sym_name = "w"}> ({
      "a.global"() <{sym_name = "g"}> : () -> ()
      "a.note"() ({
        "a.op"() : () -> ()
      }) : () -> ()
      "a.variant_end"() : () -> ()
    }) : () -> ()
    "a.executable_end"() : () -> ()
  }) : () -> ()
}) : () -> ()
//// at all of 4: modules that are valid in each other only go together
  "func.return"() : () -> ()
}) : () -> ()
  "a.global"() <{sym_name = "g"}> : () -> ()
  "a.note"() ({
    "a.op"() : () -> ()
////
"builtin.module"() ({
  "builtin.module"() <{sym_name = "inner"}> ({
    "t.op"() : () -> ()
  }) : () -> ()
}) : () -> ()
//// at all of 0: what holds other ops than symbols stays
