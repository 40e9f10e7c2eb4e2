// SPDX-License-Identifier: GPL-2.0-only
// Collectives over random trees of switches that compute, some of whose links break.
#include "tests/support/contains.h"
#include "tests/support/random-tree-job.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

const CaseCount BROKEN_TREES{.reduced = 4, .normal = 40, .full = 200};

struct NamedEnds
{
    std::string from;
    std::string to;
};

/// The ends of the links that carry something in `results`, one entry for each direction.
std::vector<NamedEnds>
FindUsedLinks(const RandomTreeJob& job, const RunResults& results)
{
    const ScratchDirectory scratch("broken-trees");
    scratch.Write("t.yaml", job.Topology());
    const RunInput input(scratch.Write("c.yaml", job.Yaml("{}", "[]")), {});
    std::vector<NamedEnds> used;
    for (uint32_t id = 0; id < results.links.size(); ++id)
    {
        if (results.links[id].bytes > Bytes(0))
        {
            const TopologyLink& link = input.Topology().Link(LinkId{id});
            used.push_back(
                {input.Topology().Vertex(link.from).name, input.Topology().Vertex(link.to).name});
        }
    }
    return used;
}

} // namespace

TEST_CASE("In-network: a link of a tree that comes back loses no data", "[property][packet]")
{
    uint64_t retransmissions = 0;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + BROKEN_TREES.Pick(); ++seed)
    {
        CAPTURE(seed);
        const RandomTreeJob job(seed);
        const RunResults whole = RunTreeJob(job, "{}");
        Draws draws(seed + 1000);
        const std::vector<NamedEnds> used = FindUsedLinks(job, whole);
        const NamedEnds& broken = used[draws.Below(used.size())];
        const int64_t begin = whole.finish.Ps() / 8 * static_cast<int64_t>(draws.Below(8));
        const int64_t end = begin + 1'000'000 * static_cast<int64_t>(1 + draws.Below(300));
        const std::string fault =
            fmt::format("[{{link: [{}, {}], state: down, at: {} ps, until: {} ps}}]",
                        broken.from,
                        broken.to,
                        begin,
                        end);
        const RunResults results = RunTreeJob(job, "{}", fault);
        CHECK(results.BytesSent() == whole.BytesSent());
        CHECK(results.inNetwork->bytes == whole.inNetwork->bytes);
        CHECK(results.finish >= whole.finish);
        CHECK(RunTreeJob(job, "{trains: off}", fault, 1).digest == results.digest);
        retransmissions += results.totals.retransmissions;
    }
    CHECK(retransmissions > 0);
}

TEST_CASE("In-network: a link of a tree that stays down is named, and so is who waits",
          "[property][packet]")
{
    uint64_t waitingSwitches = 0;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + BROKEN_TREES.Pick(); ++seed)
    {
        CAPTURE(seed);
        const RandomTreeJob job(seed);
        Draws draws(seed + 2000);
        const std::vector<NamedEnds> used = FindUsedLinks(job, RunTreeJob(job, "{}"));
        const NamedEnds& broken = used[draws.Below(used.size())];
        CAPTURE(broken.from, broken.to);
        const std::string fault =
            fmt::format("[{{link: [{}, {}], state: down}}]", broken.from, broken.to);
        const RunResults results = RunTreeJob(job, "{}", fault, std::nullopt, RunStatus::Stuck);
        REQUIRE(results.waits);
        CHECK(!results.waits->ranks.empty());
        CAPTURE(results.waits->ToText(3));
        CHECK(std::any_of(results.waits->causes.begin(),
                          results.waits->causes.end(),
                          [&](const std::string& cause)
                          {
                              return Contains(cause, "down: ") && Contains(cause, broken.from) &&
                                     Contains(cause, broken.to);
                          }));
        CHECK(RunTreeJob(job, "{trains: off}", fault, 1, RunStatus::Stuck).digest ==
              results.digest);
        waitingSwitches += results.waits->switches.size();
    }
    CHECK(waitingSwitches > BROKEN_TREES.Pick());
}
