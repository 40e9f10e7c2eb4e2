// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/run-reading.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

/// A rank of 100 ns, the rest of it idle.
RankMetrics
MakeMetrics(int64_t computeNs, int64_t exposedNs)
{
    RankMetrics metrics;
    metrics.finish = SimTime::FromNs(100);
    metrics.compute = SimTime::FromNs(computeNs);
    metrics.communication = SimTime::FromNs(exposedNs);
    metrics.exposedCommunication = SimTime::FromNs(exposedNs);
    metrics.idle = metrics.finish - metrics.compute - metrics.exposedCommunication;
    return metrics;
}

bool
Says(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("ReadMetrics: says what bounds the slowest rank", "[unit][cli]")
{
    CHECK(Says(ReadMetrics(MakeMetrics(80, 15), 0.9), "a perfect network would save 15.0 %"));
    CHECK(Says(ReadMetrics(MakeMetrics(20, 75), 0.9), "the busiest link is 90 % used"));
    CHECK(Says(ReadMetrics(MakeMetrics(20, 75), 0.3), "only 30 % used"));
    CHECK(Says(ReadMetrics(MakeMetrics(10, 20), 0.3), "mostly waits"));
    CHECK(Says(ReadMetrics(MakeMetrics(55, 40), 0.3), "larger part"));
    CHECK(ReadMetrics(RankMetrics{}, 0).empty());
}
