////
%0 = "t.constant"() <{value = dense<[[1, 2], [-3, 40]]> : tensor<2x2xi32>}> : () -> tensor<2x2xf32>
//// at 5 of 6: one before zero
%0 = "t.constant"() <{value = dense<[[1, 2], [-3, 1]]> : tensor<2x2xi32>}> : () -> tensor<2x2xf32>
//// at 4 of 6: one before zero
%0 = "t.constant"() <{value = dense<[[1, 2], [-3, 0]]> : tensor<2x2xi32>}> : () -> tensor<2x2xf32>
//// at all of 6: one before zero
%0 = "t.constant"() <{value = dense<[[1, 1], [1, 1]]> : tensor<2x2xi32>}> : () -> tensor<2x2xf32>
////
%0 = "t.constant"() <{value = dense<[1.000000e+00, -2.500000e-01]> : tensor<2xf32>}> : () -> tensor<2x2xf32>
//// at all of 2: floats
%0 = "t.constant"() <{value = dense<[1.000000e+00, 1.0]> : tensor<2xf32>}> : () -> tensor<2x2xf32>
////
%0 = "t.constant"() <{value = dense<7> : tensor<2xi8>}> : () -> tensor<2x2xf32>
//// at all of 0: neither splats nor long lists
////
%0 = "t.constant"() <{value = dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64]> : tensor<65xi8>}> : () -> tensor<2x2xf32>
//// at all of 0: neither splats nor long lists
