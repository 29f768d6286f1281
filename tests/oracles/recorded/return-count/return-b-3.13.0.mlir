func.func @long_name.with_dots(%a: f32, %b: f32) -> f32 {
  "func.return"(%a, %b) : (f32, f32) -> ()
}
