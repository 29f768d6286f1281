define <2 x i128> @longer_name(<2 x i128> %a, <2 x i128> %b) {
  %s = add <2 x i128> %a, %b
  %r = sdiv <2 x i128> %s, %b
  ret <2 x i128> %r
}
