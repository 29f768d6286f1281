////
#alias = #t.target<hip, {chip = #t.chip<{f = affine_map<(d0) -> (d0)>}>, last = true}>
"t.op"() {config = #t.config<{a = 1 : i64, b = [{c = "x, }"}, 2]}>, shape = #alias} : () -> ()
//// at all of 6: all entries
#alias = #t.target<hip, {}>
"t.op"() {config = #t.config<{}>, shape = #alias} : () -> ()
//// at 1 of 6: an entry in an alias definition
#alias = #t.target<hip, {last = true}>
"t.op"() {config = #t.config<{a = 1 : i64, b = [{c = "x, }"}, 2]}>, shape = #alias} : () -> ()
//// at 3 of 6: a nested entry
#alias = #t.target<hip, {chip = #t.chip<{f = affine_map<(d0) -> (d0)>}>, last = true}>
"t.op"() {config = #t.config<{a = 1 : i64, b = [{}, 2]}>, shape = #alias} : () -> ()
////
"t.op"() {t = #t.target<mma = [<A>, <B>], sizes = [4]>, v = dense<[1, 2]> : tensor<2xi8>} : () -> ()
//// at 0 of 2: a list in a dialect attribute
"t.op"() {t = #t.target<mma = [], sizes = [4]>, v = dense<[1, 2]> : tensor<2xi8>} : () -> ()
//// at 1 of 2: a list in a dialect attribute
"t.op"() {t = #t.target<mma = [<A>, <B>], sizes = []>, v = dense<[1, 2]> : tensor<2xi8>} : () -> ()
////
"t.op"() {config = {a = "b\\", c = "}", d = 1 : i64}} : () -> ()
//// at 2 of 3: a string that ends in a backslash
"t.op"() {config = {a = "b\\", c = "}"}} : () -> ()
////
"t.op"() {kind = !fir.type<_QTt{n:i32,v:!fir.box<f32>,name:!fir.char<1,8>}>} : () -> ()
//// at 0 of 3: the members of a record have no spaces between them
"t.op"() {kind = !fir.type<_QTt{v:!fir.box<f32>, name:!fir.char<1,8>}>} : () -> ()
//// at 1 of 3: the members of a record have no spaces between them
"t.op"() {kind = !fir.type<_QTt{n:i32, name:!fir.char<1,8>}>} : () -> ()
//// at all of 3: the members of a record have no spaces between them
"t.op"() {kind = !fir.type<_QTt>} : () -> ()
