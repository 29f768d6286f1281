define i32 @asmfail(i32 %x) {
  %r = call i32 asm "bogus $0, $1", "=r,r"(i32 %x)
  ret i32 %r
}
