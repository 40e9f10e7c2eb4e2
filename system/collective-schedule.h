// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"
#include "common/units.h"
#include "system/collective-type.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

class CollectiveAlgorithm;

/// Phases of a chunk run one after the other, each along one dimension of the communicator.
struct Phase
{
    uint32_t dimension = 0; ///< index into the communicator's dimensions
    CollectiveType type = CollectiveType::AllReduce;

    bool operator==(const Phase&) const = default;
};

/// One chunk of a collective: its part of the buffer, and the way that it goes through the
/// dimensions.
struct ChunkSchedule
{
    uint64_t elements = 0; ///< of the call's buffer (the shard, for all-gather, gather, scatter)
    std::vector<Phase> phases;

    bool operator==(const ChunkSchedule&) const = default;
};

/// Names a phase of a schedule: the phase at that place of that chunk's list.
struct PhaseReference
{
    uint32_t chunk = 0;
    uint32_t phase = 0;

    bool operator==(const PhaseReference&) const = default;
};

/// How one collective is cut into chunks, in what order each chunk crosses the dimensions, and in
/// what order phases enter each dimension: the same on every rank, a pure function of the
/// collective (docs/semantics.md 3), so that no policy can deadlock.
struct CollectiveSchedule
{
    std::vector<ChunkSchedule> chunks; ///< empty chunks are left out
    /// Per dimension: every phase that runs there, in the order of admission.
    std::vector<std::vector<PhaseReference>> admission;
    SimTime predicted;       ///< when the planner's contention-free run of the policy ends
    double trafficBytes = 0; ///< EstimateTraffic
};

/// What the planner knows of one dimension of a communicator.
struct DimensionModel
{
    uint32_t size = 1;
    Bandwidth rate;      ///< B_d: what the algorithm can drive per NPU
    SimTime stepLatency; ///< a: per message step
    /// Message steps of a phase of this type; indexed by CollectiveType.
    std::vector<uint32_t> steps;
    /// CollectiveAlgorithm::TimesSent of a phase of this type; empty: once each.
    std::vector<double> timesSent = {};
    /// What a phase of this type waits for beside its steps, where switches help; empty: nothing.
    std::vector<SimTime> roundTrips = {};
    /// What the steps of a phase of this type take longer together than a each, since their
    /// messages cross more links than those of neighbours; empty: nothing.
    std::vector<SimTime> detours = {};
    /// What the choice of a number of chunks counts besides for a phase of this type, since chunks
    /// in flight do not fill each other's waits; where it is the only dimension. Empty: nothing.
    std::vector<SimTime> idle = {};
    /// What that choice counts besides for the links after the first that the messages of a phase
    /// of this type cross, if they have at least `frame`; of shorter ones a part. Empty: nothing.
    std::vector<SimTime> forwarding = {};
    Bytes frame = {}; ///< payload of a full frame
    /// Says what the busiest NPU moves in a phase of this type; empty: PhaseTraffic does. Owner:
    /// the communication library.
    std::vector<const CollectiveAlgorithm*> algorithms = {};

    double TimesSent(CollectiveType phase) const
    {
        const auto index = static_cast<size_t>(phase);
        return index < timesSent.size() ? timesSent[index] : 1;
    }
};

/// What is to be scheduled.
struct ScheduleRequest
{
    CollectiveType type = CollectiveType::AllReduce;
    uint64_t elements = 0; ///< of the call
    uint32_t elementBytes = 1;
    uint32_t mostChunks = 16;               ///< of which PlanCollective may choose
    std::vector<DimensionModel> dimensions; ///< innermost first
    /// Its program has so many, whatever the options say; none: they say it.
    std::optional<uint32_t> chunks = std::nullopt;
};

/// How phases are ordered; keys of `system:` in the configuration.
struct SchedulingOptions
{
    std::optional<uint32_t> chunks = std::nullopt; ///< none: as many as PlanCollective finds good
    uint32_t chunksInFlight = 2;
    ComponentChoice interDimension{"baseline"}; ///< of the InterDimensionPolicy registry
    ComponentChoice intraDimension{"fifo"};     ///< of the IntraDimensionPolicy registry
    /// An all-reduce on every dimension in turn instead of scatter-gather.
    bool perDimension = false;
};

/// Cuts, orders and simulates the policy in integer time; pure.
///
/// Without `request.chunks` and `options.chunks` it tries 16, 8, 4, 2 and 1, up to
/// `request.mostChunks`, and takes the most chunks with which the run ends at most a sixteenth
/// later than with the best of them, with the times `idle` and `forwarding` of the dimensions added
/// to the latencies. So large collectives have 16 (they overlap the dimensions best), and no chunk
/// is so small that its latency rules it: while n chunks are in flight, the wire of the busiest
/// dimension idles when a chunk's latency is longer than the transfers of the n - 1 others. Numbers
/// of chunks with which the run would pass the end of the simulated clock are left out.
///
/// Throws std::overflow_error where times pass the clock with the given number of chunks, or with
/// each of those that are tried.
CollectiveSchedule PlanCollective(const ScheduleRequest& request, const SchedulingOptions& options);

} // namespace nadi
