func.func @collatz(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  cf.br ^head(%n, %c0 : i32, i32)
^head(%x: i32, %steps: i32):
  %done = arith.cmpi eq, %x, %c1 : i32
  cf.cond_br %done, ^end(%steps : i32), ^step
^step:
  %rem = arith.remsi %x, %c2 : i32
  %even = arith.cmpi eq, %rem, %c0 : i32
  %half = arith.divsi %x, %c2 : i32
  %triple = arith.muli %x, %c3 : i32
  %up = arith.addi %triple, %c1 : i32
  %next = arith.select %even, %half, %up : i32
  %more = arith.addi %steps, %c1 : i32
  cf.br ^head(%next, %more : i32, i32)
^end(%result: i32):
  return %result : i32
}
// collatz(27) = 111
func.func @switch(%n: i32) -> i32 {
  %a = arith.constant 10 : i32
  %b = arith.constant 20 : i32
  cf.switch %n : i32, [default: ^end(%n : i32), 1: ^end(%a : i32), 2: ^end(%b : i32)]
^end(%r: i32):
  return %r : i32
}
// switch(0) = 0
// switch(1) = 10
// switch(2) = 20
// switch(3) = 3
func.func @halvings(%n: i64) -> (i64, i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %r:2 = scf.while (%x = %n, %s = %c0) : (i64, i64) -> (i64, i64) {
    %c = arith.cmpi sgt, %x, %c1 : i64
    scf.condition(%c) %x, %s : i64, i64
  } do {
  ^bb0(%x: i64, %s: i64):
    %h = arith.divsi %x, %c2 : i64
    %t = arith.addi %s, %c1 : i64
    scf.yield %h, %t : i64, i64
  }
  return %r#0, %r#1 : i64, i64
}
// halvings(1000) = 1, 9
@forall(%o: tensor<6xf32>) -> tensor<6xf32>:
  %r = scf.forall (%i) in (3) shared_outs(%s = %o) -> tensor<6xf32> {
    %two = arith.constant 2 : index
    %at = arith.muli %i, %two : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %v = tensor.from_elements %f, %f : tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%at] [2] [1] : tensor<2xf32> into tensor<6xf32>
    }
  }
// forall([0] * 6) = [0, 0, 1, 1, 2, 2]
@parallel(%n: index) -> f32:
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%one) -> f32 {
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    scf.reduce(%f : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
// parallel(5) = 11
@cases(%n: index) -> i32:
  %r = scf.index_switch %n -> i32
  case 2 {
    %a = arith.constant 20 : i32
    scf.yield %a : i32
  }
  default {
    %b = arith.constant 7 : i32
    scf.yield %b : i32
  }
// cases(1) = 7
// cases(2) = 20
@spins(%n: i32) -> i32:
  %r = scf.while (%x = %n) : (i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %c = arith.cmpi sge, %x, %c0 : i32
    scf.condition(%c) %x : i32
  } do {
  ^bb0(%x: i32):
    scf.yield %x : i32
  }
// spins(0) fails: a loop of more than 1,000 steps
// spins(-1) = -1
@long(%n: index) -> index:
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> index {
    scf.yield %i : index
  }
// long(1 << 40) fails: a loop of more than 1,000 steps
@endless(%n: i32) -> i32:
  %r = call @endless(%n) : (i32) -> i32
// endless(0) fails: more than 100 nested calls
func.func @on_poison(%a: tensor<4xi1>) -> i32 {
  %e = tensor.empty() : tensor<4xi1>
  %c0 = arith.constant 0 : index
  %c = tensor.extract %e[%c0] : tensor<4xi1>
  %one = arith.constant 1 : i32
  cf.cond_br %c, ^end(%one : i32), ^end(%one : i32)
^end(%r: i32):
  return %r : i32
}
// on_poison([0] * 4) fails: a branch depends on
func.func @asserted(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c = arith.cmpi sgt, %n, %c0 : i32
  cf.assert %c, "n must be positive"
  return %n : i32
}
// asserted(1) = 1
// asserted(0) fails: assertion: n must be positive
func.func private @external(i32) -> i32
@calls_external(%n: i32) -> i32:
  %r = call @external(%n) : (i32) -> i32
// calls_external(0) fails: external function @external
util.global private mutable @count = 5 : i32
util.global private @unset : tensor<2xf32>
util.func @counted(%n: i32) -> (i32, i32) {
  %a = util.global.load @count : i32
  %b = arith.addi %a, %n : i32
  util.global.store %b, @count : i32
  %c = util.global.load @count : i32
  util.return %a, %c : i32, i32
}
// counted(3) = 5, 8
util.func @read_unset() -> tensor<2xf32> {
  %a = util.global.load @unset : tensor<2xf32>
  util.return %a : tensor<2xf32>
}
// read_unset() fails: @unset is read before it is set
