// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>

namespace nadi
{

/// How far a run is: written by the simulation, read by whoever shows it, from another thread.
/// Plain stores of single numbers; the run never waits for its reader.
struct RunProgress
{
    std::atomic<int64_t> timePs = 0;
    std::atomic<uint64_t> nodesDone = 0;
    std::atomic<uint64_t> nodesTotal = 0;
    std::atomic<uint64_t> events = 0;
    /// Of a cluster that serves; else 0.
    std::atomic<uint64_t> requestsDone = 0;
    std::atomic<uint64_t> requestsTotal = 0;
    /// Nodes that are collectives under way, a rank's each, and which part of these is delivered.
    std::atomic<uint64_t> nodesInCollectives = 0;
    std::atomic<double> collectivesShare = 0;
};

} // namespace nadi
