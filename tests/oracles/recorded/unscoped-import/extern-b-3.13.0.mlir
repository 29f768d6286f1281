func.func private @another_import(%a: tensor<?x2xi8>, %n: index) -> i32
func.func @main(%a: tensor<?x2xi8>) -> i32 {
  %c = arith.constant 3 : index
  %0 = call @another_import(%a, %c) : (tensor<?x2xi8>, index) -> i32
  return %0 : i32
}
