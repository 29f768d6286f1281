func.func @g(%a: f32) -> f32 {
  return %7 : f32
}
