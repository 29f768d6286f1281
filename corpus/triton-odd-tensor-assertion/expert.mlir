"tt.func"() <{function_type = (tensor<1x3xi64>) -> (), sym_name = "f"}> ({
^bb0(%a: tensor<1x3xi64>):
  "tt.return"() : () -> ()
}) : () -> ()
