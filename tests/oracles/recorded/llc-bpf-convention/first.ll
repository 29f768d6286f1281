define amdgpu_kernel void @dbl(double addrspace(1)* %p) {
  %x = load double, double addrspace(1)* %p
  %y = call double @llvm.sin.f64(double %x)
  store double %y, double addrspace(1)* %p
  ret void
}
declare double @llvm.sin.f64(double)
