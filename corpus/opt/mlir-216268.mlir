func.func @token(%t: !async.token) attributes {llvm.emit_c_interface} {
  return
}
