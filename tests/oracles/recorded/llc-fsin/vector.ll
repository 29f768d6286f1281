define amdgpu_kernel void @quad_big(<4 x double> addrspace(1)* %p, i32 %i) {
  %x = load <4 x double>, <4 x double> addrspace(1)* %p
  %y = call <4 x double> @llvm.sin.v4f64(<4 x double> %x)
  store <4 x double> %y, <4 x double> addrspace(1)* %p
  ret void
}
declare <4 x double> @llvm.sin.v4f64(<4 x double>)
