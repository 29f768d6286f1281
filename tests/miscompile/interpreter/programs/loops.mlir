#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

@last(%a: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>:
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<?x?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: f32, %s: f32):
    %y = math.absf %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
// Parallel iterations that write one element.
// last([[1, -1, 1], [2, 1, 2]], [0, 0]) = [1, P]
// last([[1], [2]], [0, 0]) = [1, 2]
func.func @lost(%a: tensor<?x?xf32>, %o: tensor<?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<?x?xf32>) outs(%o, %a : tensor<?xf32>, tensor<?x?xf32>) {
  ^bb0(%x: f32, %s: f32, %t: f32):
    %y = arith.addf %s, %x : f32
    linalg.yield %y, %x : f32, f32
  } -> (tensor<?xf32>, tensor<?x?xf32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?x?xf32>
}
// A sum whose loop is said to be parallel.
// lost([[1, 2], [3, 4]], [0, 0]) = [P, P], [[1, 2], [3, 4]]
// lost([[1], [3]], [0, 0]) = [1, 3], [[1], [3]]
@threads(%a: tensor<4xf32>, %o: tensor<6xf32>) -> tensor<6xf32>:
  %r = scf.forall (%i) in (3) shared_outs(%s = %o) -> tensor<6xf32> {
    %p = tensor.extract_slice %a[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %s[1] [2] [1] : tensor<2xf32> into tensor<6xf32>
    }
  }
// Threads that insert in one place.
// threads([1, 1, 1, 1], [0] * 6) = [0, 1, 1, 0, 0, 0]
// threads([1, 2, 2, 3], [0] * 6) = [0, P, P, 0, 0, 0]
@read(%o: tensor<3xf32>) -> tensor<3xf32>:
  %r = scf.forall (%i) in (3) shared_outs(%s = %o) -> tensor<3xf32> {
    %c0 = arith.constant 0 : index
    %x = tensor.extract %s[%c0] : tensor<3xf32>
    %y = arith.addf %x, %x : f32
    %p = tensor.from_elements %y : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %s[%i] [1] [1] : tensor<1xf32> into tensor<3xf32>
    }
  }
// Threads that read what others insert.
// read([1, 0, 0]) = [2, P, P]
@order(%a: tensor<?xf32>) -> f32:
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %x = tensor.extract %a[%i] : tensor<?xf32>
    scf.reduce(%x : f32) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.subf %q, %p : f32
      scf.reduce.return %s : f32
    }
  }
// A reduction in any order.
// order([2, 2]) = 0
// order([2, 3]) = P
