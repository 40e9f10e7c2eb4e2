// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-file.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// What a configuration keeps of `top`, a list of whole numbers.
std::string
ReadTop(const std::string& value)
{
    const ScratchDirectory scratch("generate-section");
    const std::string text =
        "workload:\n"
        "  generate: {model: dlrm, batch: 64, top: " +
        value +
        "}\n"
        "network: {dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 0 ns}]}\n";
    return ReadConfig(scratch.Write("c.yaml", text), {}).workload.generate->parameters.at("top");
}

} // namespace

TEST_CASE("Generate section: whole numbers are a list, or separated by commas as they are listed",
          "[unit][configuration]")
{
    CHECK(ReadTop("[13, 512, 16]") == "13,512,16");
    CHECK(ReadTop("\"13,512,16\"") == "13,512,16");
    CHECK(ReadTop("\"13, 512, 16\"") == "13,512,16");
    CHECK(ReadTop("16") == "16");
    for (const std::string wrong : {"\"13,512,\"", "\"13,x,16\"", "\"\"", "[]"})
    {
        CHECK(ConfigErrorText([&] { ReadTop(wrong); }) != "");
    }
}
