// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/tools/structure/layer-bounds.h"
#include "workload/tools/structure/layer-spans.h"
#include "workload/tools/structure/task-order.h"

#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What the user says of a job whose traces do not show it.
struct StructureHints
{
    /// A regular expression that the name of the first kernel of each layer fits, and no other's.
    std::string layerPattern;
    FoundDegrees degrees;
    /// What the layers of the job consist of, in place of any other evidence: it was made of one
    /// in which they were found. Not of a user.
    std::vector<KnownLayer> layers = {};
};

/// Finds the layers and passes of one rank, and what stands between them. Micro-batches are counted
/// in each direction, chunks and stages are 0, layers are counted within the rank: FindStructure
/// knows more.
class RankAnalysis
{
  public:
    /// `known`: layers that other ranks have, in place of any other evidence; all but these outlive
    /// the analysis. Throws ConfigError for a pattern that is no regular expression or fits
    /// nothing.
    RankAnalysis(const ExecutionGraph& graph,
                 const RecordedOrder& order,
                 const StructureHints& hints,
                 std::vector<KnownLayer> known = {});

    RankStructure Analyse();

    /// What its layers consist of. Requires: it was analysed.
    std::vector<KnownLayer> Layers() const;

  private:
    struct BoundPass
    {
        bool isForward = true;
        size_t begin = 0; ///< of what belongs to the pass before its layers
        std::vector<LayerBounds> layers;
        std::vector<uint32_t> kinds; ///< by layer
    };

    void FindPasses();
    std::vector<PassSpans> FindSpans();
    std::vector<PassSpans> FindHintedPasses() const;
    uint32_t KindOf(const LayerSpan& span);
    void SetDirections();
    void SetKnownDirections();
    void SetDirectionsByWork();
    void MergeNeighbours();
    void AddKinds();
    void AddPasses();
    LayerPass MakeLayer(const LayerBounds& bounds, uint32_t kind) const;
    void FillKind(uint32_t kind);
    void DealRest();
    void DealBetween(size_t pass);
    void DealAfterLast(size_t begin, size_t end, size_t pass);
    std::optional<size_t> FindNextIteration(size_t begin, size_t end, size_t pass) const;
    size_t CountAlike(const TaskList& list, const std::vector<size_t>& places) const;
    size_t SkipSumsOfEarlier(size_t begin, size_t end, size_t pass) const;
    size_t CountSpineOfLast(size_t begin, size_t end, size_t pass) const;
    bool StoresInLayers(size_t pass) const;
    size_t FindSplit(size_t begin, size_t end, size_t pass) const;
    size_t SplitByKnownBegin(size_t begin, size_t end, bool isForward) const;
    size_t SplitByDirection(size_t begin, size_t end) const;
    void Append(TaskList& list, size_t begin, size_t end) const;
    std::vector<TaskSignature> SpineOf(size_t begin, size_t end) const;
    uint64_t WorkOf(size_t place) const;
    bool IsGather(size_t place) const;
    bool IsExchange(size_t place) const;    ///< an all-to-all
    bool IsBackwardAt(size_t place) const;  ///< a kernel that scopes or names say to be so
    bool IsOptimizerAt(size_t place) const; ///< likewise
    size_t SkipCalls(size_t begin, size_t end) const;
    size_t TakeGathers(size_t begin, size_t end) const;
    std::vector<size_t> SpinePlaces(size_t begin, size_t end) const;
    const ExecutionNode& NodeAt(size_t place) const;

    const ExecutionGraph& m_graph;
    const RecordedOrder& m_order;
    const StructureHints& m_hints;
    std::vector<KnownLayer> m_known;
    RankStructure m_result;
    std::vector<TaskSignature> m_signatures;
    TaskSpine m_spine;
    std::vector<BoundPass> m_passes;
    std::vector<std::vector<TaskSignature>> m_blocks;   ///< by kind
    std::vector<std::vector<TaskSignature>> m_patterns; ///< by kind, with collectives
    std::vector<LayerSpan> m_firstOfKind;
    std::vector<bool> m_kindIsForward;
};

} // namespace nadi
