////
module {
  func {
    op
  }
  func2
}
//// at 0 of 2: a module goes and leaves its functions
func {
  op
}
func2
//// at all of 2: a module goes and leaves its functions
op
func2
////
module {
  func @f(%a: i32) {
    use %a
  }
}
//// at all of 1: a function with arguments stays around what uses them
func @f(%a: i32) {
  use %a
}
////
a {
  b
} c {
  d
}
//// at 0 of 2: brackets with others between them on their lines stay
