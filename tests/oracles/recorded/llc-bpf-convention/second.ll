define amdgpu_kernel void @cosine(double addrspace(1)* %p) {
  %x = load double, double addrspace(1)* %p
  %y = call double @llvm.cos.f64(double %x)
  store double %y, double addrspace(1)* %p
  ret void
}
declare double @llvm.cos.f64(double)
