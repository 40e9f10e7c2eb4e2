// SPDX-License-Identifier: GPL-2.0-only
// Collectives over random trees of switches that compute, whatever holds their slices up.
#include "tests/support/random-tree-job.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

uint32_t
JobCount()
{
    return CaseCount{.reduced = 4, .normal = 25, .full = 200}.Pick();
}

} // namespace

TEST_CASE("In-network: trains, the memo and the order of simultaneous events change nothing",
          "[property][packet]")
{
    uint64_t events = 0; // with trains, and without
    uint64_t eventsOfFrames = 0;
    uint64_t helped = 0;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + JobCount(); ++seed)
    {
        CAPTURE(seed);
        const RandomTreeJob job(seed);
        const RunResults plain = RunTreeJob(job, "{memo: off, trains: off}");
        const RunResults withTrains = RunTreeJob(job, "{memo: off, trains: on}");
        CHECK(withTrains.digest == plain.digest);
        CHECK(RunTreeJob(job, "{memo: on, trains: on}").digest == plain.digest);
        for (const uint64_t scramble : {1U, 2U})
        {
            CHECK(RunTreeJob(job, "{memo: off}", "[]", scramble).digest == plain.digest);
        }
        events += withTrains.events;
        eventsOfFrames += plain.events;
        helped += plain.inNetwork->collectives;
    }
    CHECK(events < eventsOfFrames);
    CHECK(helped >= 2 * JobCount());
}

TEST_CASE("In-network: what finds no place runs at endpoints, in any order of execution alike",
          "[property][packet]")
{
    uint64_t helped = 0;
    uint64_t fallbacks = 0;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + JobCount(); ++seed)
    {
        CAPTURE(seed);
        RandomTreeJob job(seed);
        job.LetOnePlaceDo();
        const RunResults plain = RunTreeJob(job, "{memo: off, trains: off}");
        CHECK(RunTreeJob(job, "{}").digest == plain.digest);
        CHECK(RunTreeJob(job, "{memo: off}", "[]", 1).digest == plain.digest);
        helped += plain.inNetwork->collectives;
        fallbacks += plain.inNetwork->fallbacks;
    }
    CHECK(helped > JobCount());
    CHECK(fallbacks > 0);
}

TEST_CASE("In-network: with priority flow control the least buffers drop nothing",
          "[property][packet]")
{
    uint64_t pauses = 0;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + JobCount(); ++seed)
    {
        CAPTURE(seed);
        const RandomTreeJob job(seed);
        const std::string packet = fmt::format("{{pfc: on, buffer: {} B}}", LeastBufferFor(job));
        const RunResults results = RunTreeJob(job, packet);
        CHECK(results.totals.drops == 0);
        CHECK(results.totals.retransmissions == 0);
        CHECK(RunTreeJob(job, packet, "[]", 1).digest == results.digest);
        pauses += results.totals.pauses;
    }
    CHECK(pauses > JobCount());
}

TEST_CASE("In-network: lost frames are sent again, and all ranks get what they would have got",
          "[property][packet]")
{
    uint64_t retransmissions = 0;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + JobCount(); ++seed)
    {
        CAPTURE(seed);
        const RandomTreeJob job(seed);
        const RunResults whole = RunTreeJob(job, "{}");
        const std::string faults = "[{link: all, loss: 0.001}]";
        const RunResults lossy = RunTreeJob(job, "{}", faults);
        CHECK(lossy.BytesSent() == whole.BytesSent());
        CHECK(lossy.inNetwork->bytes == whole.inNetwork->bytes);
        CHECK(RunTreeJob(job, "{trains: off}", faults, 1).digest == lossy.digest);
        retransmissions += lossy.totals.retransmissions;
    }
    CHECK(retransmissions > 0);
}
