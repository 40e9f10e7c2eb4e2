// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/work-progress.h"
#include "configuration/config.h"
#include "network/rank-placement.h"
#include "network/routing.h"
#include "network/topology.h"
#include "simulation/logical-stack.h"
#include "simulation/named-links.h"
#include "simulation/rated-topology.h"
#include "system/compute-model.h"
#include "system/message-programs/file-program.h"
#include "workload/episode.h"
#include "workload/serving/serving-instances.h"
#include "workload/workload.h"

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Ways to run that only tests ask for, and that change no result: see PacketOptions.
struct TestModes
{
    std::optional<uint64_t> scrambleSeed = std::nullopt;
    uint32_t memoInterrupt = 0;
    std::optional<uint64_t> memoWords = std::nullopt;
};

/// A cluster that serves.
struct ServingInput
{
    std::deque<ServingInstance> instances;
    std::shared_ptr<const RankNames> names;
};

/// Everything that a run reads, before anything is simulated: what `nadi check` shows and `nadi
/// run` simulates. Immutable.
///
/// Holds: the job has at most as many ranks as the topology has NPUs; the logical stack has at
/// least as many places.
class RunInput
{
  public:
    /// Throws ConfigError for anything wrong with the configuration, topology or traces.
    /// `progress`, if it is there, counts the ranks whose traces are read.
    RunInput(const std::filesystem::path& file,
             const std::vector<std::string>& settings,
             const TestModes& modes = {},
             WorkProgress* progress = nullptr);

    RunInput(const RunInput&) = delete;
    RunInput& operator=(const RunInput&) = delete;

    const nadi::Config& Config() const
    {
        return m_config;
    }

    const nadi::Topology& Topology() const
    {
        return m_topology;
    }

    const nadi::Routing& Routing() const
    {
        return *m_routing;
    }

    const nadi::Workload& Workload() const
    {
        return m_workload;
    }

    /// The dimensions that collectives are laid out in, innermost first.
    const std::vector<Dimension>& Stack() const
    {
        return m_stack;
    }

    /// Whether routes take slow and fast ways alike, so that no stack keeps bytes on the fast ones.
    bool MixesWays() const
    {
        return m_mixesWays;
    }

    /// Whether some collective may run along the dimensions of that stack: not if the library plans
    /// for whole communicators, nor if all types that are called run over flat lists of ranks or as
    /// programs made for whole groups.
    bool PlansByDimensions() const
    {
        return m_plansByDimensions;
    }

    /// Whether that is one list of all ranks, over ways of unequal rates, that nobody asked for,
    /// and some group passes data over such ways (PassesDataOverUnequalWays).
    bool IsUndivided() const
    {
        return m_isUndivided;
    }

    /// Where the ranks stand in that stack.
    const RankPlacement& Places() const
    {
        return m_places;
    }

    /// What goes wrong with the links, in the order of the configuration.
    const std::vector<LinkFault>& Faults() const
    {
        return m_faults;
    }

    /// With the bandwidths that faults leave at 0 s. What is planned ahead of the run is made for
    /// it: programs of synthesis and trees of switches.
    const nadi::Topology& TopologyAtBegin() const
    {
        return m_topologyAtBegin.Get();
    }

    /// The links to capture.
    const std::vector<LinkCapture>& Captures() const
    {
        return m_captures;
    }

    /// The cluster that serves; null: the job serves nothing.
    const ServingInput* Serving() const
    {
        return m_serving ? &*m_serving : nullptr;
    }

    /// How long kernels take.
    const ComputeModel& Compute() const
    {
        return m_compute;
    }

    /// The files of collective algorithms that the configuration names.
    const nadi::FilePrograms& FilePrograms() const
    {
        return m_filePrograms;
    }

    /// What the user should know, a sentence each.
    const std::vector<std::string>& Notes() const
    {
        return m_notes;
    }

  private:
    void AddNotes(const LogicalStack& stack);

    // In the order in which they are made, each from those before it: the topology from the
    // configuration with the ranks placed on it, the routing from the topology, the workload with a
    // check that all its ranks have a place in the topology.
    nadi::Config m_config;
    ComputeModel m_compute;
    nadi::Topology m_topology;
    std::unique_ptr<nadi::Routing> m_routing;
    std::vector<LinkFault> m_faults;
    RatedTopology m_topologyAtBegin;
    std::vector<LinkCapture> m_captures;
    nadi::FilePrograms m_filePrograms;
    std::optional<ServingInput> m_serving;
    nadi::Workload m_workload;
    std::vector<Dimension> m_stack;
    RankPlacement m_places;
    bool m_mixesWays = false;
    bool m_plansByDimensions = true;
    bool m_isUndivided = false;
    std::vector<std::string> m_notes;
};

} // namespace nadi
