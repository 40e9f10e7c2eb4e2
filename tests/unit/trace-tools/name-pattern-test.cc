// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "workload/tools/structure/name-pattern.h"

#include <catch2/catch.hpp>

#include <string>

namespace nadi
{

TEST_CASE("A pattern fits anywhere in a name", "[structure]")
{
    NamePattern pattern("remove", "gemm|^drop.*_kernel$");
    CHECK(pattern.Fits("ampere_sgemm_128x64"));
    CHECK(pattern.Fits("dropout_kernel"));
    CHECK_FALSE(pattern.Fits("fused_dropout_kernel"));
    CHECK_FALSE(pattern.Fits(""));
    CHECK(pattern.Fits("ampere_sgemm_128x64")); // as before
}

// With std::regex as it is by default, the first of these ends with a stack that is full and the
// second one never.
TEST_CASE("Long names and patterns that could be read in many ways are searched", "[structure]")
{
    const std::string longName(1'000'000, 'a');
    CHECK_FALSE(NamePattern("remove", "^a.*gemm").Fits(longName));
    CHECK_FALSE(NamePattern("remove", "^(a*)*b$").Fits(std::string(60, 'a')));
    CHECK(NamePattern("remove", "^(a*)*b$").Fits(std::string(60, 'a') + "b"));
}

TEST_CASE("Patterns that are none are refused where they were written", "[structure]")
{
    CHECK_THROWS_MATCHES(
        NamePattern("what-if: remove", "("),
        ConfigError,
        Catch::Matchers::Message("what-if: remove: \"(\" is no regular expression"));
    CHECK_THROWS_MATCHES(
        NamePattern("--layer-pattern", "(a)\\1"),
        ConfigError,
        Catch::Matchers::Message("--layer-pattern: \"(a)\\1\" refers back to a group, which names "
                                 "cannot be searched for; write what the group stands for"));
}

} // namespace nadi
