// A loop of each kind, a branch, a structured op of two outputs, a call, a global.
#m = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
util.global private @scale = dense<[1.5, 2.5, 3.5, 4.5]> : tensor<4xf32>
func.func private @helper(%x: tensor<4xf32>, %unused: i32) -> (tensor<4xf32>, i32) {
  %s = util.global.load @scale : tensor<4xf32>
  %0 = arith.addf %x, %s : tensor<4xf32>
  return %0, %unused : tensor<4xf32>, i32
}
func.func @main(%p: tensor<4x?xf32>, %q: tensor<4xf32>, %q2: tensor<4xf32>, %n: i32, %flag: i1, %mem: memref<8xf32, strided<[1], offset: ?>>) -> (tensor<4xf32>, i32, tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 128 : index
  %h:2 = func.call @helper(%q, %n) : (tensor<4xf32>, i32) -> (tensor<4xf32>, i32)
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %h#0, %cnt = %h#1) -> (tensor<4xf32>, i32) {
    %y:2 = linalg.generic {indexing_maps = [#m, #r, #r, #r], iterator_types = ["parallel", "reduction"]} ins(%p, %q : tensor<4x?xf32>, tensor<4xf32>) outs(%acc, %q2 : tensor<4xf32>, tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32, %o2: f32):
      %m = arith.mulf %a, %b fastmath<fast> : f32
      %s = arith.addf %m, %o : f32
      %mx = arith.maximumf %m, %o2 : f32
      linalg.yield %s, %mx : f32, f32
    } -> (tensor<4xf32>, tensor<4xf32>)
    %z = scf.if %flag -> tensor<4xf32> {
      %w = math.exp %y#0 : tensor<4xf32>
      scf.yield %w : tensor<4xf32>
    } else {
      scf.yield %y#0 : tensor<4xf32>
    }
    %one = arith.constant 1 : i32
    %cnt2 = arith.addi %cnt, %one : i32
    scf.yield %z, %cnt2 : tensor<4xf32>, i32
  }
  %fa = scf.forall (%i) in (4) shared_outs(%o = %q) -> tensor<4xf32> {
    %e = tensor.extract_slice %r#0[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  %f0 = arith.constant 0.25 : f32
  %af = affine.for %i = 0 to 8 iter_args(%x = %f0) -> f32 {
    %l = affine.load %mem[%i] : memref<8xf32, strided<[1], offset: ?>>
    %x2 = arith.addf %x, %l : f32
    affine.yield %x2 : f32
  }
  %w:2 = scf.while (%i = %n, %x = %af) : (i32, f32) -> (i32, f32) {
    %lim = arith.constant 10 : i32
    %cond = arith.cmpi slt, %i, %lim : i32
    scf.condition(%cond) %i, %x : i32, f32
  } do {
  ^bb0(%i: i32, %x: f32):
    %n2 = arith.addi %i, %i : i32
    %x2 = arith.mulf %x, %x : f32
    scf.yield %n2, %x2 : i32, f32
  }
  return %fa, %w#0, %r#0, %w#1 : tensor<4xf32>, i32, tensor<4xf32>, f32
}
