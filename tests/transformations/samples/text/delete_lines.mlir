////
module {
  func {
    op
  }
  func2
}
//// at 1, 2, 3, 4 of 6: single lines
module {
}
//// at 0 of 6: brackets stay balanced where they were
////
{
a
b
//// at 1 of 3: brackets stay balanced where they were
{
b
