module @m {
  func.func private @helper(%q: vector<4xi8>, %r: vector<2x2xi8>) -> vector<4xi8> {
    %c0 = arith.constant dense<1> : vector<4xi8>
    %1 = "arith.addi"(%c0, %r) : (vector<4xi8>, vector<2x2xi8>) -> vector<4xi8>
    return %1 : vector<4xi8>
  }
}
