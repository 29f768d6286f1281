////
module {
  func {
    op
  }
  func2
}
//// at 1 of 2: a group goes with its brackets
module {
  func2
}
