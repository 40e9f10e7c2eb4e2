// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/dimension.h"
#include "network/in-network-options.h"
#include "network/memory-options.h"
#include "network/network-options.h"
#include "network/topology-generator.h"
#include "system/compute-model.h"
#include "system/memory-model.h"
#include "system/system-options.h"
#include "workload/generators/collective-workload.h"
#include "workload/generators/flows-workload.h"
#include "workload/serving/serve-options.h"
#include "workload/trace/dependency-choice.h"
#include "workload/what-if/wish.h"
#include "workload/workload-model.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// \file
/// A configuration as plain values: complete (defaults are filled in) and checked on its own. What
/// depends on the files it names (traces, topologies) is checked when they are read.

namespace nadi
{

/// NPUs by their numbers, for the ranks in order. Holds: none is there twice.
struct NpuList
{
    std::vector<uint32_t> npus;
    std::string where; ///< the place of the list, for errors

    bool operator==(const NpuList&) const = default;
};

/// `workload.placement`: which NPU hosts which rank.
struct PlacementChoice
{
    enum class Kind : uint8_t
    {
        Linear, ///< rank r on NPU r
        Snake,  ///< to and fro along the dimensions of the network
        Random, ///< drawn by the seed of the run
        List,
        File, ///< of a list
    };

    Kind kind = Kind::Linear;
    std::vector<uint32_t> order = {}; ///< of a snake: the dimensions, the fastest first; or empty
    NpuList list = {};                ///< of a list
    std::string file = {};            ///< absolute
    std::string where = {};           ///< of the value, for errors

    bool operator==(const PlacementChoice&) const = default;
};

/// The largest rank that one of `workload.flows` names.
struct HighestRank
{
    uint32_t rank = 0;
    std::string where; ///< the place of the number and its key, for errors
};

/// `workload:`; exactly one of trace, collective, flows, generate and serve is there.
struct WorkloadConfig
{
    std::optional<std::string> trace;  ///< absolute; may hold {rank}
    std::optional<std::string> groups; ///< absolute
    std::optional<uint32_t> ranks;
    Bytes elementSize{1};
    DependencyPolicy dependencies = DependencyPolicy::Auto;
    bool replaysCommunication = false;
    std::vector<TagKind> streams; ///< of a trace; ranges that do not meet
    std::optional<WhatIf> whatIf; ///< of a trace
    PlacementChoice placement;
    /// Steps, one after the other; the collectives of a step start together.
    std::optional<std::vector<std::vector<CollectiveSpec>>> collective;
    std::optional<std::vector<FlowSpec>> flows;
    HighestRank highestRank;                 ///< of flows
    std::optional<ComponentChoice> generate; ///< complete
    std::optional<ServeOptions> serve;
    std::string where; ///< of the key that names the work, for errors found later
};

/// An algorithm, or several, as given for one type; `system.collectives`.
struct AlgorithmSetting
{
    AlgorithmChoice choice; ///< one algorithm stands for all dimensions unless isList
    bool isList = false;    ///< one for each dimension
    std::string where;      ///< of the value, for errors
};

/// `system:`. `options.algorithms` is complete: see ResolveAlgorithms.
struct SystemConfig
{
    std::map<CollectiveType, AlgorithmSetting> collectives;
    SystemOptions options;
    std::string libraryWhere = "system.library"; ///< the place of `options.library`
    ComputeOptions compute;
    std::map<NodeId, std::string> nodeAlgorithmsWhere; ///< of each of `options.nodeAlgorithms`
    std::map<uint32_t, std::string> perRankWhere;      ///< of each factor of `compute.perRank`
    MemoryOptions memory;
    std::string remoteMemoryWhere;    ///< the place of `memory.remote`, for errors
    std::vector<uint32_t> dimensions; ///< the logical stack of a topology without dimensions
    std::string dimensionsWhere;
    std::optional<std::string> planCache; ///< a directory that keeps synthesised programs
};

/// A link by the names of its ends, or several parallel ones.
struct LinkEnds
{
    std::string from;
    std::string to;
    std::string where; ///< the place of the value, for errors
};

/// An entry of `network.faults`, its links by name. Holds: exactly one of isDown, loss, bandwidth.
struct FaultSpec
{
    SimTime at;
    std::optional<SimTime> until; ///< later than `at`; none: forever
    std::optional<LinkEnds> link; ///< none: all
    bool isDown = false;
    std::optional<double> loss; ///< in (0, 1]
    std::optional<Bandwidth> bandwidth;
    std::string where;
};

/// `network:`; exactly one of dimensions, topologyFile and generator is there.
struct NetworkConfig
{
    std::vector<Dimension> dimensions;        ///< innermost first
    std::optional<std::string> topologyFile;  ///< absolute
    std::optional<ComponentChoice> generator; ///< complete
    ComponentChoice backend{"packet"};        ///< of the BackendKind registry
    PacketOptions packet;
    std::optional<InNetworkOptions> inNetwork; ///< none: switches only forward
    std::vector<MemoryGroup> memories;
    std::vector<FaultSpec> faults;
    std::string where; ///< of dimensions or topology, for errors
};

/// `output:`; what is kept of a run besides the tables.
struct OutputConfig
{
    bool flows = false; ///< flows.csv
    /// Whether collectives.csv has rows where requests are served.
    bool servedCollectives = false;
    bool timeline = false;         ///< timeline.pftrace
    bool recording = false;        ///< recording/<name>.<rank>.et
    std::optional<SimTime> series; ///< the interval of series.csv; > 0
    std::vector<LinkEnds> pcap;    ///< links to capture at their first end
};

/// The whole configuration of a run; one member for each section.
struct Config
{
    WorkloadConfig workload;
    SystemConfig system;
    NetworkConfig network;
    OutputConfig output;
    uint64_t seed = 1;
    std::string file; ///< as given, for messages
};

} // namespace nadi
