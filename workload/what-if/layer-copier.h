// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph-builder.h"
#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/early-gathers.h"
#include "workload/what-if/host/host-weaver.h"
#include "workload/what-if/host/recorded-host.h"
#include "workload/what-if/layer-places.h"
#include "workload/what-if/optimizer-gathers.h"
#include "workload/what-if/parameter-share.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// What new layers take.
enum class LayerDurations : uint8_t
{
    Cycle,  ///< what those that they repeat took, so that the spread of layers stays
    Median, ///< of each task the median over the layers of its pass
};

/// How the layers of a rank change.
struct LayerChange
{
    uint32_t layers = 0;  ///< of each pass, afterwards
    ParameterShare share; ///< for the kernels of the optimizer
    LayerDurations durations = LayerDurations::Cycle;
};

/// Writes the graph of one rank with another number of layers (ChangeLayers).
///
/// A new task has two originals: its *content* (sizes, duration, kernels) is that of a layer that
/// is repeated; its *pattern*, from which its dependencies follow, that of a task that has as much
/// before it: the first layer of a pass has other dependencies than all later ones.
///
/// Operators of the host come back with the tasks that they launch (WeaveHost).
class LayerCopier
{
  public:
    /// The references outlive it. Requires: `places` are those of the rank.
    LayerCopier(const RecordedHost& host,
                const RankStructure& rank,
                const LayerPlaces& places,
                const LayerChange& change);

    /// Throws ConfigError for dependencies that have no such pattern. Once only.
    ExecutionGraph Run();

  private:
    /// A task of the new graph. Its id is its place among them.
    struct NewTask
    {
        uint32_t content = 0;
        uint32_t pattern = 0;
        std::optional<LayerPlace> place; ///< in the new layers; none: outside of them
    };

    uint32_t LayerAt(uint32_t pass, uint32_t position, uint32_t layers) const;
    uint32_t ContentOf(uint32_t pass, uint32_t position) const;
    uint32_t PatternAt(uint32_t position, uint32_t content) const;
    void ListTasks();
    void AddGathers(uint32_t node);
    void AddLayer(uint32_t pass, uint32_t position);
    void AddCopies(uint32_t node);
    void Write(const NewTask& task, uint64_t id);
    bool IsNew(const LayerPlace& place) const;
    uint32_t FindMedian(const LayerPlace& place) const;
    std::string NameOf(const NewTask& task) const;
    std::vector<uint64_t> FindDependencies(const NewTask& task) const;
    std::vector<uint64_t> FindInputsOf(const NewTask& task) const;
    std::vector<uint64_t> FindInputsBehind(const EarlyGathers::Behind& behind) const;
    std::vector<uint64_t> FindInputsOfGather(const NewTask& task) const;
    void AddDependency(const NewTask& task, uint32_t parent, std::vector<uint64_t>& ids) const;
    void CheckReach(const NewTask& task, uint32_t parent) const;
    void AddInLayer(const NewTask& task, uint32_t parent, std::vector<uint64_t>& ids) const;
    void AddOutside(uint32_t node, uint32_t parent, std::vector<uint64_t>& ids) const;
    uint32_t FollowInPass(const NewTask& task, const LayerPlace& parent) const;
    bool ReachesOverFirst(uint32_t pattern, uint32_t parent) const;
    uint32_t FollowToPass(const NewTask& task, uint32_t parentNode) const;
    bool IsAfterAll(uint32_t node, const LayerPlace& parent) const;
    uint64_t IdAt(const LayerPlace& place) const;
    bool IsOfHost(uint32_t node) const;
    uint32_t LaunchedAs(const LayerPlace& place) const;
    std::vector<TaskOrigin> FindOrigins() const;
    [[noreturn]] void FailAt(uint32_t node) const;

    const RecordedHost& m_host;
    const ExecutionGraph& m_graph;
    const RankStructure& m_rank;
    LayerChange m_change;
    const LayerPlaces& m_places;
    EarlyGathers m_earlyGathers;
    bool m_isHosted; ///< its tasks were launched by operators, which are none of them
    std::vector<bool> m_isOptimizer; // by node
    OptimizerGathers m_gathers;
    std::vector<NewTask> m_tasks;
    std::map<LayerPlace, uint64_t> m_idOfPlace;
    std::vector<uint64_t> m_idOfNode;          // outside of layers
    std::map<uint32_t, uint64_t> m_lastGather; // by group: behind the optimizer, written last
    ExecutionGraphBuilder m_builder;
};

} // namespace nadi
