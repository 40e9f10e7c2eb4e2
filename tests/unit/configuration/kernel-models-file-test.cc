// SPDX-License-Identifier: GPL-2.0-only
// Models of kernels in files.
#include "configuration/kernel-models-file.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("Kernel models: what is written is read", "[unit][configuration]")
{
    KernelModels models{FlopRate::FromFlopsPerSecond(312'000'000'000'001),
                        Bandwidth::FromBytesPerSecond(2'039'000'000'000),
                        {}};
    models.kinds[KernelOp::Gemm] = {.launchNanos = 1234.567,
                                    .memoryEfficiency = 1.0 / 3,
                                    .classes = {{17, 0.7}, {18, 1.0 / 7}},
                                    .mostOperations = 137'438'953'472,
                                    .mostBytes = 5,
                                    .seen = SeenBounds::Memory};
    models.kinds[KernelOp::Norm] = {.memoryEfficiency = 0.9};
    const ScratchDirectory scratch("kernel-models");
    const KernelModels read =
        ReadKernelModels(scratch.Write("kernels.yaml", FormatKernelModels(models)), "test");
    CHECK(read.peak == models.peak);
    CHECK(read.memoryBandwidth == models.memoryBandwidth);
    REQUIRE(read.kinds.size() == 2);
    const KindModel& gemm = read.kinds.at(KernelOp::Gemm);
    CHECK(gemm.launchNanos == Approx(1234.567));
    CHECK(gemm.memoryEfficiency == 1.0 / 3);
    REQUIRE(gemm.classes.size() == 2);
    CHECK(gemm.classes[1].sizeClass == 18);
    CHECK(gemm.classes[1].efficiency == 1.0 / 7);
    CHECK(gemm.mostOperations == 137'438'953'472);
    CHECK(gemm.mostBytes == 5);
    CHECK(gemm.seen == SeenBounds::Memory);
    CHECK(read.kinds.at(KernelOp::Norm).classes.empty());
}

TEST_CASE("Kernel models: two of a kind are refused", "[unit][configuration]")
{
    const ScratchDirectory scratch("kernel-models");
    const auto file = scratch.Write("kernels.yaml",
                                    "peak: 1 TFLOP/s\nmemory-bandwidth: 1 TB/s\n"
                                    "kinds: [{kind: gemm}, {kind: gemm}]\n");
    CHECK(ConfigErrorText([&] { ReadKernelModels(file, "test"); })
              .find("kinds[1]: is a second model of kind gemm; keep one of them") !=
          std::string::npos);
}
