// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/graph-copy.h"
#include "workload/what-if/shapes/task-meaning.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// A task of a new graph.
struct DraftTask
{
    static constexpr uint32_t NO_NODE = UINT32_MAX;

    NodeCopy copy;
    TaskMeaning meaning;
    std::vector<uint32_t> parents = {}; ///< indices of drafts
    uint32_t origin = NO_NODE;          ///< the node of the recorded graph that it was
};

/// The tasks of a graph as they are.
std::vector<DraftTask> DraftsOf(const ExecutionGraph& graph, const RankMeaning& meaning);

/// Adds them. Recorded ones keep their ids; where there are new ones, all are numbered from 0.
void AddDrafts(std::vector<DraftTask> drafts, ExecutionGraphBuilder& builder);

/// The text without that end, if it has it.
std::string WithoutEnd(std::string_view text, std::string_view end);

/// Of the name of a gradient, what it is of: "layer 1 mlp".
std::string NameOfBlock(std::string_view name);

/// Drafts to which tasks come, and of which tasks go. Indices stay until they are written.
class DraftChanges
{
  public:
    explicit DraftChanges(std::vector<DraftTask> drafts);

    /// How many there are, new ones and those that go included.
    uint32_t Count() const
    {
        return static_cast<uint32_t>(m_drafts.size());
    }

    const DraftTask& At(uint32_t draft) const
    {
        return m_drafts[draft];
    }

    DraftTask& At(uint32_t draft)
    {
        return m_drafts[draft];
    }

    /// A task that stands before a recorded one, or behind it, after those that came there already.
    uint32_t AddBefore(uint32_t draft, DraftTask task);
    uint32_t AddBehind(uint32_t draft, DraftTask task);

    /// What waits for it waits for what it waits for. Of parameters that were gathered, only what
    /// waits for nothing else, as they come early.
    void Remove(uint32_t draft);

    /// Among the parents of `child`: `other` in place of `parent`.
    void Replace(uint32_t child, uint32_t parent, uint32_t other);

    bool WaitsFor(uint32_t child, uint32_t parent) const;

    std::vector<DraftTask> Write();

  private:
    void WriteOne(uint32_t draft);
    void AddParents(uint32_t draft, std::vector<uint32_t>& parents) const;

    std::vector<DraftTask> m_drafts;
    std::vector<bool> m_isGone;                  ///< by draft
    std::vector<std::vector<uint32_t>> m_before; ///< by draft: new ones
    std::vector<std::vector<uint32_t>> m_behind;
    std::vector<uint32_t> m_order;
};

} // namespace nadi
