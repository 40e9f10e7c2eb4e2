// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/bucket-changes.h"

#include "workload/what-if/graph-copy.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace nadi
{

namespace
{

bool
IsGather(const ExecutionNode& node)
{
    return node.collective == CollectiveType::AllGather;
}

} // namespace

BucketChanges::BucketChanges(const RecordedStage& stage)
    : m_stage(stage)
{
    m_changes.removed.resize(stage.Graph().NodeCount(), false);
}

void
BucketChanges::Add(AddedCall call, const std::vector<uint32_t>& inPlaceOf)
{
    for (const uint32_t node : inPlaceOf)
    {
        m_changes.removed[node] = true;
    }
    m_calls.push_back({std::move(call), inPlaceOf});
}

ExecutionGraph
BucketChanges::Apply()
{
    // RewriteGraph takes calls in the order of the nodes behind which they stand. The sort is
    // stable, so calls behind the same node keep the order in which they were added.
    std::ranges::stable_sort(m_calls, {}, [](const auto& call) { return call.first.behind; });
    for (auto& [call, inPlaceOf] : m_calls)
    {
        for (const uint32_t node : inPlaceOf)
        {
            m_changes.replacements[node].push_back(m_changes.added.size());
        }
        m_changes.added.push_back(std::move(call));
    }
    ChainGathers();
    return RewriteGraph(m_stage.Graph(), m_changes);
}

/// Gathers that go, in the order of the program.
std::vector<uint32_t>
BucketChanges::FindRecordedGathers() const
{
    std::vector<uint32_t> gathers;
    for (const auto& [node, calls] : m_changes.replacements)
    {
        if (IsGather(m_stage.Graph().Node(node)))
        {
            gathers.push_back(node);
        }
    }
    return gathers;
}

/// Where the recorded gathers wait for one another, the new ones do, too, and the first of them
/// waits for what the recorded first one does.
void
BucketChanges::ChainGathers()
{
    const std::vector<uint32_t> recorded = FindRecordedGathers();
    if (recorded.size() < 2 || !IsChain(recorded, m_stage.Parents()))
    {
        return;
    }
    std::optional<size_t> last;
    for (size_t index = 0; index < m_changes.added.size(); ++index)
    {
        AddedCall& call = m_changes.added[index];
        if (!IsGather(call.call.node))
        {
            continue;
        }
        call.after = last ? call.after : m_stage.ParentsOf(recorded.front());
        std::erase_if(call.after,
                      [&recorded](uint32_t node)
                      { return std::ranges::count(recorded, node) > 0; });
        if (last)
        {
            m_changes.follows[index] = *last;
        }
        last = index;
    }
}

AddedCall
MakeGather(const RecordedStage& stage, uint32_t gather, uint64_t size)
{
    // The call waits for all that the recorded gather waits for, as kernels of the optimizer are
    // not dealt to buckets.
    AddedCall call{.call = CopyNode(stage.Graph(), gather),
                   .after = stage.ParentsOf(gather),
                   .behind = gather};
    call.call.node.size = size;
    return call;
}

} // namespace nadi
