// SPDX-License-Identifier: GPL-2.0-only
// Trains change no result: not a finish time, not a delivery, not a counter of a link.
#include "common/error.h"
#include "tests/support/case-count.h"
#include "tests/support/packet-forms.h"
#include "tests/support/train-case.h"

#include <cstdlib>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// The first case to try; NADI_TEST_SEED starts elsewhere.
uint64_t
FirstSeed()
{
    const char* text = std::getenv("NADI_TEST_SEED");
    return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

bool
IsWrong(const TrainCase& test)
{
    try
    {
        return !test.IsAlike();
    }
    catch (const ConfigError&)
    {
        return false; // what was left out was needed
    }
}

} // namespace

TEST_CASE("Trains: digests with and without them are equal", "[property][packet][trains]")
{
    const uint64_t first = FirstSeed();
    const uint32_t count = CaseCount{.reduced = 40, .normal = 400, .full = 10'000}.Pick();
    for (uint64_t seed = first; seed < first + count; ++seed)
    {
        const TrainCase drawn = DrawTrainCase(seed);
        if (drawn.IsAlike())
        {
            continue;
        }
        const TrainCase least = Minimise(drawn, IsWrong);
        UNSCOPED_INFO("seed " << seed << ", made as small as possible:\n" << least.Describe());
        REQUIRE(least.Run("on") == least.Run("off"));
    }
    SUCCEED("all alike");
}
