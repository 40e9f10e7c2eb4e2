// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/network-backend.h"
#include "simulation/run-input.h"
#include "tests/support/random-job.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nadi::test
{

/// What is sent in a TrainCase.
enum class TrainTraffic
{
    Flows,
    Collectives, ///< all at once
    Job,         ///< a RandomJob, with stragglers
};

/// A run whose result must not depend on trains: in parts that can be left out one by one.
struct TrainCase
{
    std::string network; ///< the lines below `network:`
    TrainTraffic traffic = TrainTraffic::Flows;
    std::vector<std::string> parts;    ///< flows or collectives; of a job so many operations
    std::vector<std::string> settings; ///< as `--set`
    uint32_t npus = 2;
    uint64_t jobSeed = 0;
    RandomJob::Shape jobShape{};
    TestModes modes{};

    /// What must not differ, and what may.
    struct Outcome
    {
        /// Digest, rows of collectives, flows and series, or what ended the run before its end.
        std::string text;
        NetworkTotals totals;
        uint64_t highestQueue = 0; ///< of all links, in bytes
    };

    Outcome RunToEnd(const std::string& trains) const;

    /// The text of the outcome.
    std::string Run(const std::string& trains) const;

    /// Whether the digests with and without trains are the same.
    bool IsAlike() const;

    /// Everything, for a report.
    std::string Describe() const;

  private:
    std::string Workload() const;
};

/// Drawn from a seed: stacks and generated fabrics, slow and fast links, latencies of none and of
/// just a frame, flows and collectives, and now and then each mechanism that can be in the way.
TrainCase DrawTrainCase(uint64_t seed);

/// The same traffic with memories that pause, mostly on rings of five or more, where data then has
/// two priorities.
TrainCase DrawLosslessCase(uint64_t seed);

/// Leaves out parts and settings as long as `isWrong` stays true. Requires: isWrong(wrong).
TrainCase Minimise(TrainCase wrong, const std::function<bool(const TrainCase&)>& isWrong);

} // namespace nadi::test
