// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/synthesis/class-samples.h"
#include "workload/tools/synthesis/dependency-pattern.h"
#include "workload/tools/synthesis/master-trace.h"
#include "workload/tools/synthesis/node-class.h"
#include "workload/tools/synthesis/sequence-model.h"
#include "workload/tools/synthesis/value-model.h"
#include "workload/workload.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace nadi
{

/// The sizes of a series of calls.
struct SeriesModel
{
    SequenceModel sizes;
    size_t length = 0;   ///< how many calls of the series each channel makes
    size_t channels = 0; ///< of its family
    /// The k-th call has the same size in all channels, as where tensor-parallel groups do the
    /// same side by side.
    bool isShared = false;
};

/// The statistics of one class of nodes.
struct ClassModel
{
    NodeClass nodeClass;
    uint32_t lane = 0; ///< as ClassTable::LaneOf
    std::array<ValueModel, NODE_QUANTITIES.size()> quantities;
    /// The first quantity that is not constant. The others follow it, but for the sizes of calls,
    /// which are those of their series.
    NodeQuantity leading = NodeQuantity::Duration;
    double latentCorrelation = 0; ///< of the leading quantity, as SequenceModel's
    /// How many nodes of the class follow one another, calls left out.
    ValueModel runLengths;
    ClassSamples recorded;
};

/// What synthetic traces are drawn from.
///
/// A rank's sequence consists of its calls and of *gaps*, the nodes between them. The nodes of all
/// gaps of a rank, calls left out, consist of *runs* of nodes of one class. Which class follows
/// which is a Markov chain of first order. A call may stand within a run.
struct TraceModel
{
    /// In place of a class: the begin of a trace.
    static constexpr uint32_t START = UINT32_MAX;
    /// In place of a class: whatever it is.
    static constexpr uint32_t ANY = UINT32_MAX - 1;

    MasterTrace master;
    std::vector<std::vector<uint32_t>> callsOfRank;   ///< as ListCallsOfRanks
    std::vector<std::vector<uint32_t>> classesOfCall; ///< of the same calls
    std::vector<SeriesModel> series;                  ///< as MasterCall::series
    std::vector<ClassModel> classes;
    SequenceModel gapLengths; ///< in nodes
    /// The class of the run after a run of a class, after START, or after ANY.
    std::map<uint32_t, ValueModel> successors;
    /// For a class and the one of the node before it, or ANY: what a node waits for, as an index
    /// into `patterns`.
    std::map<std::pair<uint32_t, uint32_t>, ValueModel> dependencies;
    std::vector<DependencyPattern> patterns;
};

/// Takes the statistics of a job. Throws ConfigError as CheckJob and SequenceJob do, and where the
/// job has no node.
TraceModel LearnTraceModel(const Workload& workload);

} // namespace nadi
