// SPDX-License-Identifier: GPL-2.0-only
#include "system/kernels/kernel-launch.h"

#include <catch2/catch.hpp>

using namespace nadi;

TEST_CASE("KernelLaunch: its text is read back", "[unit][system]")
{
    const std::vector<KernelLaunch> launches{{.op = KernelOp::AttentionDecode,
                                              .type = NumberType::Fp8,
                                              .n = 8,
                                              .k = 128,
                                              .batch = 3,
                                              .context = 1000,
                                              .tp = 2,
                                              .bytes = 77,
                                              .operations = 88},
                                             {.op = KernelOp::Other},
                                             {.op = KernelOp::Gemm, .m = 1, .n = 2, .k = 3}};
    const std::string text = "attention-decode fp8 tp=2 k=128 n=8 batch=3 context=1000 bytes=77 "
                             "operations=88; other; gemm k=3 n=2 m=1";
    CHECK(ToText(launches) == text);
    CHECK(ParseKernels(text) == launches);
    // The order of sizes does not count.
    CHECK(ParseKernels("gemm m=1 n=2 k=3") == std::vector{launches[2]});
    CHECK(ParseKernels("gemm bf16  m=1 n=2 k=3") == ParseKernels("gemm bf16 m=1 n=2 k=3"));
}

TEST_CASE("KernelLaunch: every op has a word of its own", "[unit][system]")
{
    for (int i = 0; i <= static_cast<int>(KernelOp::Other); ++i)
    {
        const auto op = static_cast<KernelOp>(i);
        CHECK(FindKernelOp(ToText(op)) == op);
    }
    CHECK(!FindKernelOp("GEMM"));
    CHECK(!FindNumberType("float"));
    CHECK(FindNumberType("bf16") == NumberType::Bf16);
}

TEST_CASE("KernelLaunch: other texts are none of kernels", "[unit][system]")
{
    for (const char* text : {"gem",
                             "gemm m",
                             "gemm m=",
                             "gemm m=-1",
                             "gemm m=1.5",
                             "gemm q=1",
                             "gemm m=9223372036854775808",
                             "gemm bf8",
                             "gemm; ; gemm"})
    {
        CAPTURE(text);
        CHECK(!ParseKernels(text));
    }
}
