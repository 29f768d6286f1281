target triple = "nvptx64"
define i128 @div(i128 %a, i128 %b) {
  %r = sdiv i128 %a, %b
  ret i128 %r
}
