func.func @main(%a: tensor<?xi8>) -> tensor<?xi8> {
  %0 = stablehlo.custom_call @Bar(%a) {call_target_name = "Bar"} : (tensor<?xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}
