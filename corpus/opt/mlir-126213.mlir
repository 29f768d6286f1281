func.func @walk() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %yes = arith.constant true
  %m = memref.alloc() : memref<1x1x1xi1>
  cf.cond_br %yes, ^a, ^b
^a:
  cf.br ^c(%yes : i1)
^b:
  cf.br ^c(%yes : i1)
^c(%p: i1):
  cf.br ^d
^d:
  cf.br ^e
^e:
  cf.cond_br %p, ^f, ^g
^f:
  memref.store %yes, %m[%zero, %zero, %zero] : memref<1x1x1xi1>
  cf.br ^e
^g:
  cf.br ^h(%zero, %yes : index, i1)
^h(%n: index, %q: i1):
  %less = arith.cmpi slt, %n, %one : index
  cf.cond_br %less, ^i, ^j
^i:
  %next = arith.addi %n, %one : index
  cf.br ^h(%next, %q : index, i1)
^j:
  vector.print %q : i1
  return
}
