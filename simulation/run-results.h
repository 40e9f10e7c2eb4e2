// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/message.h"
#include "network/network-backend.h"
#include "simulation/ran-algorithm.h"
#include "simulation/timeline/rank-timeline.h"
#include "simulation/timeline/serving-timeline.h"
#include "system/collective-engine.h"
#include "system/kernels/table-use.h"
#include "system/remote-memory/remote-memory.h"
#include "workload/communication-total.h"
#include "workload/rank-metrics.h"
#include "workload/serving/serving-results.h"
#include "workload/trace-writer.h"
#include "workload/wait-report.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// How a run ended; the exit code follows from it.
enum class RunStatus
{
    Done,
    Stuck,       ///< the simulated job cannot finish
    Interrupted, ///< the user stopped it; what is here is partial
};

/// "done", "stuck", "interrupted".
std::string ToText(RunStatus status);

/// One rank's row.
struct RankResult
{
    RankMetrics metrics;
    Bytes sent;                                    ///< payload, first transmissions
    std::vector<CommunicationTotal> communication; ///< by kind
    uint32_t npu = 0;                              ///< the number of the NPU that hosts it
};

/// A collective's row.
struct CollectiveResult
{
    CollectiveRecord record;
    SimTime lowerBound;
    std::optional<SimTime> fabricBound; ///< none where it is not known
};

/// A message that was delivered; a row of `flows.csv`. There can be many, so that it holds no more
/// than the row needs.
struct FlowRecord
{
    VertexId source;
    VertexId destination;
    uint32_t retransmissions = 0; ///< see Delivery
    StreamId stream;
    Bytes size;     ///< payload
    Bytes overhead; ///< of the sender's protocol, carried beside it
    SimTime sent;
    SimTime delivered;
};

/// One direction of a link over one interval of `output.series`; a row of `series.csv`.
struct SeriesSample
{
    SimTime time; ///< the end of the interval
    LinkId link;
    Bytes queue;            ///< waiting at the sending port then
    double utilization = 0; ///< of what the link could have carried, without faults
    SimTime paused;         ///< within the interval
    uint64_t ecnMarks = 0;  ///< within the interval
};

/// What a run leaves: plain values, everything that the files and the terminal show.
struct RunResults
{
    RunStatus status = RunStatus::Done;
    std::string exitReason;        ///< one sentence
    SimTime finish;                ///< the largest of the ranks; when cut short: the clock
    std::vector<RankResult> ranks; ///< by rank
    std::vector<CollectiveResult> collectives; ///< by (start, communicator, call)
    /// Of all collectives of several ranks, also of those that are not kept; each once.
    std::vector<RanAlgorithm> ranAlgorithms;
    std::vector<LinkCounters> links; ///< by LinkId
    /// What was delivered, by (sent, source, destination, stream, delivered); with `output.flows`.
    /// In pieces, so that no more memory is taken while it grows.
    std::optional<std::deque<FlowRecord>> flows;
    std::vector<SeriesSample> series; ///< by (time, link); empty without `output.series`
    std::optional<Timeline> timeline; ///< with `output.timeline`
    std::optional<std::vector<NodeTimes>> recording; ///< by rank; with `output.recording`
    std::optional<ServingTimeline> servingTimeline;  ///< likewise, of a cluster that serves
    NetworkTotals totals;
    SystemEffects effects;
    TableUse tableUse;                       ///< with `system.compute.kernels`
    std::optional<InNetworkUsage> inNetwork; ///< with `network.in-network`
    std::optional<MemoryTotals> memory;      ///< where accesses go through the network
    std::optional<ServingTotals> serving;    ///< of a cluster that serves
    uint64_t events = 0;
    std::string digest;
    std::optional<WaitReport> waits;   ///< when stuck
    std::vector<std::string> warnings; ///< what the run showed, a sentence each

    /// The largest finish, of equals the lowest rank.
    size_t SlowestRank() const;
    Bytes BytesSent() const;
};

/// The share of what the link could have carried until `finish`; 0 when that is 0.
double ComputeUtilization(Bytes carried, Bandwidth bandwidth, SimTime finish);

} // namespace nadi
