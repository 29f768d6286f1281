func.func @f(%a: f64) -> f64 {
  return %a : f64
}
