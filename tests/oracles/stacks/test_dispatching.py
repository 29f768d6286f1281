"""Functions that only dispatch, as real compilers print them, and what is left of a stack."""

import pytest

from oracles.stacks.dispatching import distinctive, ends_stack, function_of, is_dispatching

_CALLBACK = "void llvm::function_ref<void (mlir::Operation*)>::callback_fn"
_OP = "mlir::Op<mlir::tensor::CollapseShapeOp, mlir::OpTrait::ZeroRegions>"


@pytest.mark.parametrize(
    "full",
    [
        f"{_OP}::getFoldHookFnImpl<mlir::tensor::CollapseShapeOp>()",
        f"{_OP}::verifyInvariants(mlir::Operation*)",
        "mlir::RegisteredOperationName::Model<test::AnOp>::verifyInvariants(mlir::Operation*)",
        "mlir::OperationName::foldHook(mlir::Operation*, llvm::ArrayRef<mlir::Attribute>) const",
        "mlir::Operation::fold(llvm::ArrayRef<mlir::Attribute>)",
        "void mlir::OpBuilder::createOrFold<mlir::arith::AddIOp, int>(llvm::SmallVectorImpl<int>&)",
        "mlir::OpBuilder::tryFold(mlir::Operation*, llvm::SmallVectorImpl<mlir::Value>&)",
        "llvm::LogicalResult mlir::ConversionPattern::dispatchTo1To1<mlir::ConversionPattern>(int)",
        "mlir::OpConversionPattern<mlir::mhlo::ConvolutionOp>::matchAndRewrite(mlir::Operation*)",
        "mlir::detail::OpOrInterfaceRewritePatternBase<mlir::scf::ForOp>::matchAndRewrite()",
        "mlir::ConvertOpToLLVMPattern<mlir::func::FuncOp>::matchAndRewrite(mlir::Operation*)",
        "(anonymous namespace)::OperationLegalizer::legalize(mlir::Operation*)",
        "(anonymous namespace)::GreedyPatternRewriteDriver::processWorklist()",
        "mlir::OperationConverter::convert(mlir::Operation*, bool)",
        "mlir::applyPartialConversion(mlir::Operation*, mlir::ConversionTarget const&)",
        "void mlir::MLIRContext::executeAction<mlir::PassExecutionAction, mlir::Pass&>(int)",
        "mlir::WalkResult mlir::detail::walk<mlir::ForwardIterator>(mlir::Operation*, int)",
        f"{_CALLBACK}<Functor>(long, mlir::Operation*)",
        "llvm::function_ref<void ()>::operator()() const",
        "mlir::detail::AnalysisMap::getAnalysisImpl<A, mlir::Operation*>(llvm::StringRef)",
        "(anonymous namespace)::OperationVerifier::verifyOperation(mlir::Operation&)",
        "absl::lts_20260107::log_internal::LogMessage::Flush()",
        "google::LogMessageFatal::~LogMessageFatal()",
        "std::_Function_handler<void (), std::function<void ()>>::_M_invoke(std::_Any_data const&)",
    ],
)
def test_dispatching(full: str) -> None:
    assert is_dispatching(function_of(full))


@pytest.mark.parametrize(
    "full",
    [
        "mlir::splitAndProcessBuffer(std::unique_ptr<llvm::MemoryBuffer>, llvm::StringRef)",
        "performActions(llvm::raw_ostream&, mlir::MLIRContext*, mlir::MlirOptMainConfig const&)",
        "mlir::MlirOptMain(int, char**, llvm::StringRef, mlir::DialectRegistry&) (.part.0)",
        "mlir::detail::OpToOpPassAdaptor::runOnOperationAsyncImpl(bool)::$_0::operator()(int&)",
        "mlir::detail::OpToOpPassAdaptor::run(mlir::Pass*, mlir::Operation*, bool, unsigned int)",
        "llvm::StdThreadPool::processTasks(llvm::ThreadPoolTaskGroup*)",
        "llvm::LogicalResult mlir::failableParallelForEach<int*, A::f()::$_0>(int*, A::f()::$_0&&)",
        "llvm::FPPassManager::runOnFunction(llvm::Function&)",
        "main",
    ],
)
def test_ends(full: str) -> None:
    assert ends_stack(function_of(full))


@pytest.mark.parametrize(
    "function",
    [
        "mlir::arith::AddIOp::fold",
        "mlir::linalg::OpConversionPattern2::matchAndRewrite",
        "mlir::OpOperand::set",
        "mlir::Operation::getParentOp",
        "mlir::spirv::SPIRVInlinerInterface::handleTerminator",
        "mlir::affine::walkLoops",
        "mlir::verifyTensorSize",
        "Canonicalizer::runOnOperation",
        "mainLoopOf",
    ],
)
def test_functions_that_can_be_at_fault(function: str) -> None:
    assert distinctive([function]) == (function,)


@pytest.mark.parametrize(
    ("full", "function"),
    [
        (f"{_CALLBACK}<a::f[abi:cxx11](b&)::$_0>(long, mlir::Operation*)", "a::f"),
        (
            "std::_Function_handler<std::optional<mlir::Type> (mlir::Type), "
            "a::Converter::Converter(bool)::{lambda(mlir::Type)#2}>::_M_invoke(std::_Any_data&&)",
            "a::Converter::Converter",
        ),
        (
            f"{_CALLBACK}<std::enable_if<b, c>::type mlir::detail::walk<a::f(int)::$_3, d>"
            "(mlir::Operation*, a::f(int)::$_3&&)::'lambda'(mlir::Operation*)>(long)",
            "a::f",
        ),
        (
            "b::detail::CInterfaceTraits::FallbackModel<b::(anonymous namespace)::D>::f(int)",
            "b::D::f",
        ),
        ("mlir::transform::detail::applyTransformToEach<a::Op, int>(int)", "a::Op"),
        ("a::Helper<b::f(int)::$_0>::run()", "a::Helper::run"),
    ],
)
def test_thunks_stand_for_what_they_call(full: str, function: str) -> None:
    assert function_of(full) == function


def test_a_lambda_counts_as_its_function_whether_inlined_or_not() -> None:
    outlined = ["a::f(int)::$_0::operator()(b) const", f"{_CALLBACK}<a::f(int)::$_0>(long, b)"]
    inlined = outlined[1:]
    below = ["mlir::detail::walk<a::f(int)::$_0>(b)", "a::f(int)", "a::g()"]
    stacks = [distinctive(map(function_of, top + below)) for top in (outlined, inlined)]
    assert stacks == [("a::f", "a::g")] * 2


def test_building_an_op_is_the_same_in_all_releases() -> None:
    """`OpBuilder::create` called `build` in IREE 3.6.0, which has become a member of each op."""
    build = "a::Op::build(mlir::OpBuilder&, mlir::OperationState&, mlir::TypeRange)"
    old = ["a::Op mlir::OpBuilder::create<a::Op, mlir::Value&>(mlir::Location, mlir::Value&)"]
    new = ["a::Op::create(mlir::OpBuilder&, mlir::Location, mlir::Value)"]
    newest = ["a::Op::create(mlir::ImplicitLocOpBuilder&, mlir::Value)"]
    below = [f"{_CALLBACK}<b::f(int)::$_0>(long)", build, "b::f(int)", "b::g(mlir::OpBuilder&)"]
    stacks = [distinctive(map(function_of, [*top, *below])) for top in (old, new, newest)]
    assert stacks == [("b::f", "b::g")] * 3


def test_what_is_only_called_like_building_an_op_can_be_at_fault() -> None:
    names = ["a::Plan::create(mlir::Operation*)", "a::build(mlir::OpBuilder&, int)"]
    assert distinctive(map(function_of, names)) == ("a::Plan::create", "a::build")


def test_a_method_of_an_interface_that_forwards_does_not_count() -> None:
    names = ["a::SubViewOp::reify", "mlir::ReifyInterface::reify", "b::ReifyInterface::other"]
    assert distinctive(names) == ("a::SubViewOp::reify", "b::ReifyInterface::other")
    assert distinctive(["a::Op::applyToOne", "a::Op", "b::f"]) == ("a::Op::applyToOne", "b::f")


def test_functions_that_only_take_ir_apart_say_nothing() -> None:
    names = ["mlir::Operation::~Operation", "llvm::iplist_impl::erase", "mlir::Block::~Block"]
    names += ["mlir::Operation::erase", "mlir::RewriterBase::replaceOp", "mine::Pattern::rewrite"]
    assert distinctive(names) == ("mine::Pattern::rewrite",)


def test_copying_an_op_is_not_starting_a_thread() -> None:
    """`clone` of the C library ends a stack, and tiling calls `mlir::clone`."""
    stack = [
        "mlir::detail::OperandStorage::OperandStorage",
        "mlir::Operation::create",
        "mlir::clone",
        "FftOp::getTiledImplementation",
        "mlir::TilingInterface::getTiledImplementation",
        "mlir::scf::tileUsingSCF",
        "clone",
        "main",
    ]
    assert distinctive(stack) == ("FftOp::getTiledImplementation", "mlir::scf::tileUsingSCF")


def test_it_does_not_matter_when_an_analysis_visits_an_op() -> None:
    """The first time, or once the region around the op is known to be live."""
    hook = ["mlir::intrange::inferCeilDivS", "mlir::affine::AffineApplyOp::inferResultRanges"]
    visit = "mlir::dataflow::AbstractSparseForwardDataFlowAnalysis::visitOperation"
    first = "mlir::dataflow::AbstractSparseForwardDataFlowAnalysis::initializeRecursively"
    calls = "mlir::intrange::detail::defaultInferResultRanges"
    for driver in (visit, first):
        assert distinctive([*hook, calls, driver]) == tuple(hook)


def test_recursion_counts_once_and_the_entry_ends_the_stack() -> None:
    names = ["a::visit", "a::visit", "b::walk", "a::visit", "main", "x::y"]
    assert distinctive(names) == ("a::visit", "b::walk")


def test_it_does_not_matter_which_thread_runs_a_pass() -> None:
    top = ["a::f", "a::FooPass::runOnOperation", "mlir::detail::OpToOpPassAdaptor::run"]
    nested = ["llvm::function_ref::callback_fn", "a::OuterPass::runOnOperation"]
    worker = ["std::_Function_handler::_M_invoke", "llvm::StdThreadPool::processTasks"]
    tool = ["mlir::PassManager::run", "performActions", "mlir::splitAndProcessBuffer"]
    found = {distinctive(top + below) for below in (nested, worker, tool, [])}
    assert found == {("a::f", "a::FooPass::runOnOperation")}


def test_overloads_of_a_method_of_an_interface_count_once() -> None:
    model = "mlir::detail::TilingInterfaceInterfaceTraits::Model<a::FftOp>"
    names = [
        "a::FftOp::tile(mlir::OpBuilder&)",
        f"{model}::tile_3(mlir::detail::TilingInterfaceInterfaceTraits::Concept const*)",
        "mlir::TilingInterface::tile(mlir::OpBuilder&)",
        "mlir::scf::tileUsingSCF(mlir::RewriterBase&)",
    ]
    assert distinctive(map(function_of, names)) == ("a::FftOp::tile", "mlir::scf::tileUsingSCF")
