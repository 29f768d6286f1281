module {
  %zero = arith.constant 0 : i8
  %a = vector.broadcast %zero : i8 to vector<4x8x2xi8>
  %b = vector.broadcast %zero : i8 to vector<8x16x2xi8>
  %zero32 = arith.constant 0 : i32
  %c = vector.broadcast %zero32 : i32 to vector<4x16xi32>
  %d = vector.contract {indexing_maps = [affine_map<(i, j, k, l) -> (i, k, l)>, affine_map<(i, j, k, l) -> (k, j, l)>, affine_map<(i, j, k, l) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<4x8x2xi8>, vector<8x16x2xi8> into vector<4x16xi32>
  %m = memref.alloc() : memref<4x16xi32>
  %i = arith.constant 0 : index
  vector.transfer_write %d, %m[%i, %i] {in_bounds = [true, true]} : vector<4x16xi32>, memref<4x16xi32>
}
