module {
  func.func @g(%arg0: i64, %arg1: i64) -> i64 {
    %idx0 = index.constant 0
    %idx8 = index.constant 8
    %idx1 = index.constant 1
    %idx4 = index.constant 4
    %0 = index.casts %arg0 : i64 to index
    %1 = scf.for %arg2 = %idx0 to %idx8 step %idx1 iter_args(%arg3 = %0) -> (index) {
      %from_elements = tensor.from_elements %arg0, %arg0, %arg0, %arg1, %arg1, %arg0, %arg0, %arg1, %arg1, %arg0, %arg0, %arg1, %arg1, %arg1, %arg1, %arg1 : tensor<4x4xi64>
      %3 = index.remu %arg2, %idx4
      %extracted = tensor.extract %from_elements[%3, %3] : tensor<4x4xi64>
      %4 = index.remu %arg3, %idx4
      %extracted_0 = tensor.extract %from_elements[%4, %4] : tensor<4x4xi64>
      %from_elements_1 = tensor.from_elements %extracted_0, %extracted_0, %extracted_0, %extracted_0, %extracted_0, %extracted_0, %extracted_0, %arg1 : tensor<8xi64>
      %extracted_2 = tensor.extract %from_elements_1[%arg2] : tensor<8xi64>
      %from_elements_3 = tensor.from_elements %arg1, %extracted_0, %extracted, %extracted_0, %extracted_2, %extracted_0, %extracted_2, %extracted_2 : tensor<8xi64>
      %5 = index.remu %arg3, %idx8
      %extracted_4 = tensor.extract %from_elements_3[%5] : tensor<8xi64>
      %inserted = tensor.insert %extracted_4 into %from_elements[%3, %3] : tensor<4x4xi64>
      %extracted_5 = tensor.extract %inserted[%3, %3] : tensor<4x4xi64>
      %6 = index.castu %extracted_5 : i64 to index
      scf.yield %6 : index
    }
    %2 = index.castu %1 : index to i64
    return %2 : i64
  }
  func.func @main() {
    %c-1_i64 = arith.constant -1 : i64
    %c-1992215323_i64 = arith.constant -1992215323 : i64
    %0 = call @g(%c-1_i64, %c-1992215323_i64) : (i64, i64) -> i64
    vector.print %0 : i64
    return
  }
}

