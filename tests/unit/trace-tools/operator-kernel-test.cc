// SPDX-License-Identifier: GPL-2.0-only
// What a kernel works on, from the shapes of the operator that launched it.
#include "workload/tools/conversion/operator-kernel.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>

using namespace nadi;

namespace
{

/// Of an operator that reads and writes a matrix of 3 x 5 elements each.
std::optional<KernelLaunch>
TellOfMatrix(const std::string& type)
{
    PytorchHostNode node{.name = "aten::relu"};
    node.inputs = {.shapes = "[[3, 5]]", .types = fmt::format("[\"{}\"]", type)};
    node.outputs = node.inputs;
    return TellKernel(node, "vectorized_elementwise_kernel");
}

} // namespace

TEST_CASE("TellKernel: elements have the bytes and the number of their type", "[unit][trace-tools]")
{
    struct Row
    {
        std::string type;
        uint64_t bytes;
        NumberType number;
    };

    const auto row = GENERATE(Row{"Tensor(float)", 4, NumberType::Fp32},
                              Row{"Tensor(c10::Half)", 2, NumberType::Fp16},
                              Row{"Tensor(c10::BFloat16)", 2, NumberType::Bf16},
                              Row{"Tensor(c10::Float8_e4m3fn)", 1, NumberType::Fp8},
                              Row{"Tensor(double)", 8, NumberType::None},
                              Row{"Tensor(long int)", 8, NumberType::None},
                              Row{"Tensor(int)", 4, NumberType::None},
                              Row{"Tensor(short int)", 2, NumberType::None},
                              Row{"Tensor(unsigned char)", 1, NumberType::None},
                              Row{"Tensor(signed char)", 1, NumberType::None},
                              Row{"Tensor(bool)", 1, NumberType::None},
                              Row{"Tensor(c10::complex<float>)", 8, NumberType::None},
                              Row{"Tensor(c10::complex<double>)", 16, NumberType::None});
    CAPTURE(row.type);
    const std::optional<KernelLaunch> kernel = TellOfMatrix(row.type);
    REQUIRE(kernel);
    CHECK(kernel->bytes == 2 * 3 * 5 * row.bytes);
    CHECK(kernel->type == row.number);
}

TEST_CASE("TellKernel: what is no tensor of a known type tells nothing", "[unit][trace-tools]")
{
    CHECK_FALSE(TellOfMatrix("Int"));
    CHECK_FALSE(TellOfMatrix("Tensor(quaternion)"));
    CHECK_FALSE(TellOfMatrix("Tensor("));
}
