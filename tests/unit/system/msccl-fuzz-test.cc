// SPDX-License-Identifier: GPL-2.0-only
// Damaged algorithms of MSCCL either read or are refused; nothing else ever happens.
#include "common/error.h"
#include "common/hash.h"
#include "system/library/msccl-file/msccl-file.h"
#include "system/library/msccl-file/msccl-order.h"
#include "tests/support/msccl-programs.h"

#include <catch2/catch.hpp>

#include <array>
#include <cctype>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Whether the text was read. Any exception but ConfigError passes through and fails the test.
bool
ReadsAlgorithm(const std::string& text)
{
    try
    {
        const MscclAlgorithm algorithm = ParseMscclAlgorithm(text, "fuzz");
        size_t steps = 0;
        for (const MscclGpu& gpu : algorithm.gpus)
        {
            for (const MscclThreadBlock& block : gpu.blocks)
            {
                steps += block.steps.size();
            }
        }
        return OrderMscclSteps(algorithm, MatchMscclMessages(algorithm)).size() == steps;
    }
    catch (const ConfigError&)
    {
        return false;
    }
}

/// Some bytes become others.
std::string
FlipLetters(std::string text, uint64_t seed)
{
    const uint64_t flips = 1 + Hash64({seed, 0}) % 4;
    for (uint64_t flip = 1; flip <= flips; ++flip)
    {
        const uint64_t random = Hash64({seed, flip});
        text[random % text.size()] = static_cast<char>(random >> 56);
    }
    return text;
}

/// A number becomes another one, so that the text stays XML.
std::string
ChangeNumber(std::string text, uint64_t seed)
{
    constexpr std::array numbers{
        "-1", "0", "1", "2", "3", "7", "4294967295", "18446744073709551615"};
    size_t at = Hash64({seed, 1}) % text.size();
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) == 0)
    {
        ++at;
    }
    const size_t end = text.find_first_not_of("0123456789", at);
    return at == text.size()
               ? text
               : text.replace(at, end - at, numbers[Hash64({seed, 2}) % numbers.size()]);
}

/// How many of the damaged texts are refused.
uint64_t
CountRefused(const std::string& text, std::string (*damage)(std::string, uint64_t))
{
    constexpr uint64_t rounds = 500;
    uint64_t refused = 0;
    REQUIRE(ReadsAlgorithm(text));
    for (uint64_t round = 0; round < rounds; ++round)
    {
        INFO("round " << round);
        refused += ReadsAlgorithm(damage(text, round)) ? 0 : 1;
    }
    return refused;
}

} // namespace

TEST_CASE("MSCCL: damaged files are read or refused", "[unit][system]")
{
    for (const std::string& text : {MakeAllGatherRing(4), MakeExchange(), MakeReduceScatterRing()})
    {
        CHECK(CountRefused(text, &FlipLetters) > 100);
        CHECK(CountRefused(text, &ChangeNumber) > 100);
        for (size_t length = 0; length + 2 < text.size(); length += 7)
        {
            CHECK_FALSE(ReadsAlgorithm(text.substr(0, length)));
        }
    }
}
