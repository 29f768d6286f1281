module {
  func.func @main() {
    %false = arith.constant false
    %c8_i32 = arith.constant 8 : i32
    %0 = arith.trunci %c8_i32 : i32 to i6
    %c35_i63 = arith.constant 35 : i63
    %c36_i64 = arith.constant 36 : i64
    %sum, %overflow = arith.addui_extended %false, %false : i1, i1
    cf.cond_br %false, ^bb1, ^bb2
  ^bb1:  // pred: ^bb0
    cf.br ^bb3(%c35_i63, %c36_i64, %0 : i63, i64, i6)
  ^bb2:  // pred: ^bb0
    %c4_i64 = arith.constant 4 : i64
    cf.br ^bb3(%c35_i63, %c4_i64, %0 : i63, i64, i6)
  ^bb3(%1: i63, %2: i64, %3: i6):  // 2 preds: ^bb1, ^bb2
    cf.br ^bb4
  ^bb4:  // pred: ^bb3
    cf.cond_br %sum, ^bb5, ^bb6
  ^bb5:  // pred: ^bb4
    %c-7668919674129928000_i64 = arith.constant -7668919674129928000 : i64
    cf.br ^bb7(%c-7668919674129928000_i64 : i64)
  ^bb6:  // pred: ^bb4
    %c52_i64 = arith.constant 52 : i64
    cf.br ^bb7(%c52_i64 : i64)
  ^bb7(%4: i64):  // 2 preds: ^bb5, ^bb6
    cf.br ^bb8
  ^bb8:  // pred: ^bb7
    vector.print str "%266="
    vector.print %4 : i64
    return
  }
}

