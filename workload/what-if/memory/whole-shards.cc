// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/whole-shards.h"

#include "workload/what-if/memory/call-roles-of-rank.h"

#include <algorithm>
#include <compare>
#include <map>
#include <vector>

namespace nadi
{

namespace
{

/// A part of the model on a rank.
struct PartKey
{
    enum class Place : uint8_t
    {
        Embedding, ///< before the layers
        Layer,
        Head,
    };

    uint32_t chunk = 0;
    Place place = Place::Layer;
    uint32_t layer = 0;

    auto operator<=>(const PartKey&) const = default;
};

/// A pass going through a part.
struct Visit
{
    PartKey part;
    bool isForward = true;
    uint64_t gathered = 0;    ///< bytes of whole parameters
    uint64_t unscattered = 0; ///< of whole gradients
};

class VisitReader
{
  public:
    VisitReader(const Workload& job, const JobStructure& structure, const RankStructure& rank)
        : m_graph(job.GraphOf(RankId{rank.rank}))
        , m_roles(job, structure, rank.rank)
    {
    }

    /// In the order of the program.
    std::vector<Visit> Read(const RankStructure& rank)
    {
        for (const LayerRunPass& pass : rank.passes)
        {
            if (pass.iteration == 0)
            {
                ReadPass(pass);
            }
        }
        return std::move(m_visits);
    }

  private:
    using Place = PartKey::Place;

    void ReadPass(const LayerRunPass& pass)
    {
        const auto add = [&](Place place, uint32_t layer) -> Visit&
        {
            return m_visits.emplace_back(
                Visit{.part = {pass.chunk, place, layer}, .isForward = pass.isForward});
        };
        // A backward pass begins with the head.
        AddCalls(pass.before, add(pass.isForward ? Place::Embedding : Place::Head, 0));
        for (const LayerPass& layer : pass.layers)
        {
            Visit& visit = add(Place::Layer, layer.layer);
            AddCalls(layer.tasks, visit);
            AddCalls(layer.extra, visit);
        }
        AddCalls(pass.after, add(pass.isForward ? Place::Head : Place::Embedding, 0));
    }

    void AddCalls(const TaskList& tasks, Visit& visit) const
    {
        uint64_t ofDense = 0;
        uint64_t ofExperts = 0;
        for (const uint32_t task : tasks)
        {
            const ExecutionNode& call = m_graph.Node(task);
            if (call.type != NodeType::Collective)
            {
                continue;
            }
            const bool isDense = m_roles.Has(call, GroupRole::Data);
            if (!isDense && !m_roles.Has(call, GroupRole::ExpertData))
            {
                continue;
            }
            if (call.collective == CollectiveType::AllGather)
            {
                visit.gathered += call.size * m_roles.CountRanks(call); // its size is a shard
            }
            else if (call.collective == CollectiveType::ReduceScatter)
            {
                uint64_t& largest = isDense ? ofDense : ofExperts;
                largest = std::max(largest, call.size);
            }
        }
        // The gradients of a layer with experts are there together.
        visit.unscattered = std::max(visit.unscattered, ofDense + ofExperts);
    }

    const ExecutionGraph& m_graph;
    CallRolesOfRank m_roles;
    std::vector<Visit> m_visits;
};

/// Goes through the visits of a rank, and notes what is gathered at each time.
class GatheredParameters
{
  public:
    explicit GatheredParameters(const std::vector<Visit>& visits)
    {
        for (const Visit& visit : visits)
        {
            if (!visit.isForward)
            {
                m_backward[visit.part] |= visit.gathered > 0;
            }
        }
    }

    uint64_t FindMost(const std::vector<Visit>& visits)
    {
        for (const Visit& visit : visits)
        {
            Enter(visit);
        }
        return m_most;
    }

  private:
    /// The gradient of an embedding takes the tokens alone.
    bool IsKept(const Visit& visit) const
    {
        const auto backward = m_backward.find(visit.part);
        return visit.isForward && visit.part.place != PartKey::Place::Embedding &&
               backward != m_backward.end() && !backward->second;
    }

    void Enter(const Visit& visit)
    {
        uint64_t bytes = visit.gathered;
        if (!visit.isForward)
        {
            // With the last micro-batch that went forward, what was kept is worked on while the
            // next parameters come.
            const auto kept = m_kept.find(visit.part);
            if (kept != m_kept.end() && --kept->second.passes == 0)
            {
                bytes = kept->second.bytes;
                m_ofKept -= bytes;
                m_kept.erase(kept);
            }
        }
        if (bytes == 0)
        {
            return;
        }
        if (IsKept(visit))
        {
            // Micro-batches that gather it once more do so into the same place.
            Kept& kept = m_kept[visit.part];
            m_ofKept += kept.passes == 0 ? bytes : 0;
            kept = {bytes, kept.passes + 1};
            m_most = std::max(m_most, m_before + m_ofKept);
            return;
        }
        m_most = std::max(m_most, m_before + bytes + m_ofKept);
        m_before = bytes;
    }

    struct Kept
    {
        uint64_t bytes = 0;
        uint32_t passes = 0; ///< forward, whose backward pass is still to come
    };

    std::map<PartKey, bool> m_backward; // whether parts that have one gather for it
    std::map<PartKey, Kept> m_kept;
    uint64_t m_ofKept = 0;
    uint64_t m_before = 0; // bytes of the visit before that does not keep them
    uint64_t m_most = 0;
};

} // namespace

WholeShards
FindWholeShards(const Workload& job, const JobStructure& structure, const RankStructure& rank)
{
    const std::vector<Visit> visits = VisitReader(job, structure, rank).Read(rank);
    WholeShards whole{.gathered = GatheredParameters(visits).FindMost(visits)};
    for (const Visit& visit : visits)
    {
        whole.unscattered = std::max(whole.unscattered, visit.unscattered);
    }
    return whole;
}

} // namespace nadi
