// SPDX-License-Identifier: GPL-2.0-only
// Every way to get `workload.placement` wrong, with the line that the user reads.
#include "tests/support/config-cases.h"

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Four ranks on the four NPUs of a ring.
std::string
WithPlacement(const std::string& placement)
{
    return WithWorkload("{collective: {type: barrier}, placement: " + placement + "}");
}

/// What the user reads of a placement whose file has `text`.
std::string
MessageOfFile(const std::string& text)
{
    const ScratchDirectory scratch("placement-errors");
    scratch.Write("p.yaml", text);
    const auto file = scratch.Write("c.yaml", WithPlacement("{file: p.yaml}"));
    return scratch.WithoutPath(ConfigErrorText([&] { const RunInput input(file, {}); }));
}

const std::string ALL_FORMS =
    "linear, snake, random, {snake: [1, 0]}, a list of NPUs such as [2, 0, 1], or {file: PATH}";

} // namespace

TEST_CASE("Configuration errors: workload.placement", "[golden][cli]")
{
    CheckAll({
        {WithPlacement("spiral"),
         R"(c.yaml:2: workload.placement: "spiral" is not valid; write )" + ALL_FORMS},
        {WithPlacement(""), "c.yaml:2: workload.placement: is empty; write " + ALL_FORMS},
        {WithPlacement("{}"), "c.yaml:2: workload.placement: needs one of snake and file"},
        {WithPlacement("{snake: [0], file: p.yaml}"),
         R"(c.yaml:2: workload.placement.file: cannot stand beside "snake"; keep one of snake and )"
         "file"},
        {WithPlacement("{spiral: 1, snake: [0]}"),
         "c.yaml:2: workload.placement.spiral: unknown key; known: snake"},
        {WithPlacement("[0, 1, 2, -1]"),
         R"(c.yaml:2: workload.placement[3]: "-1" is not valid; write a whole number from 0 to )"
         "4194303"},
        {WithPlacement("[0, 1, 2, npu3]"),
         R"(c.yaml:2: workload.placement[3]: "npu3" is not valid; write a whole number from 0 to )"
         "4194303"},
    });
}

TEST_CASE("Configuration errors: a placement that is not one NPU for each rank", "[golden][cli]")
{
    CheckAll({
        {WithPlacement("[0, 1, 3, 1]"),
         "c.yaml:2: workload.placement[3]: npu1 hosts rank 1 already; write an NPU of its own for "
         "each rank"},
        {WithPlacement("[0, 1, 3]"),
         "c.yaml:2: workload.placement: 3 NPUs for a job of 4 ranks; write one NPU for each rank"},
        {WithPlacement("[]"),
         "c.yaml:2: workload.placement: 0 NPUs for a job of 4 ranks; write one NPU for each rank"},
        {WithWorkload("{collective: {type: barrier}, ranks: 2, placement: [0, 1, 3]}"),
         "c.yaml:2: workload.placement: 3 NPUs for a job of 2 ranks; write one NPU for each rank"},
        {WithPlacement("[0, 1, 2, 4]"),
         "c.yaml:2: workload.placement: there is no npu4 for rank 3: the network has 4 NPUs; write "
         "numbers below 4"},
    });
}

TEST_CASE("Configuration errors: a snake without dimensions, or along other ones", "[golden][cli]")
{
    const std::string generated =
        "network: {topology: {generator: leaf-spine, npus: 4, npus-per-leaf: 2, spines: 1,\n"
        "  link: {bandwidth: 50 GB/s, latency: 500 ns}}}\n"
        "workload: {collective: {type: barrier}, placement: snake}\n";
    const std::string others =
        "c.yaml:2: workload.placement: a snake goes along each dimension of the network once; "
        "write each of the numbers 0 to 0 once, the fastest first";
    CheckAll({
        {generated,
         "c.yaml:3: workload.placement: a snake needs a network of dimensions, and this network "
         "has none; write linear, random or a list of NPUs, or give network.dimensions"},
        {WithPlacement("{snake: [1]}"), others},
        {WithPlacement("{snake: [0, 0]}"), others},
        {WithPlacement("{snake: [0, 1]}"), others},
        {WithPlacement("{snake: []}"),
         "c.yaml:2: workload.placement.snake: is empty; write a list of dimensions such as [1, 0]"},
        {WithPlacement("{snake: 0}"),
         "c.yaml:2: workload.placement.snake: is not a list; write a list of dimensions such as "
         "[1, 0]"},
    });
}

TEST_CASE("Configuration errors: files of placements", "[golden][cli]")
{
    CHECK(MessageOf(WithPlacement("{file: missing.yaml}")) ==
          R"(c.yaml:2: workload.placement: cannot read "missing.yaml": No such file or directory)");
    CHECK(MessageOfFile("- 3\n- 1\n- 1\n- 0\n") ==
          "p.yaml:3: [2]: npu1 hosts rank 1 already; write an NPU of its own for each rank");
    CHECK(MessageOfFile("npus: [3]\n") ==
          "p.yaml:1: is not a list; write a list of NPUs such as [2, 0, 1]");
    CHECK(MessageOfFile("[3, 2, 1]\n") ==
          "p.yaml:1: 3 NPUs for a job of 4 ranks; write one NPU for each rank");
    CHECK(MessageOfFile("[3, 2, 1, 9]\n") ==
          "p.yaml:1: there is no npu9 for rank 3: the network has 4 NPUs; write numbers below 4");
    CHECK(MessageOfFile("[3, 2, 1, 0]\n") == "");
}
