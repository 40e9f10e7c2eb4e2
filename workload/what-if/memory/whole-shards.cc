// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/whole-shards.h"

#include "workload/what-if/memory/call-roles-of-rank.h"

#include <algorithm>
#include <compare>
#include <initializer_list>
#include <map>
#include <optional>
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
    uint64_t gathered = 0; ///< bytes of whole parameters
};

/// The calls of a rank among the copies of its parameters.
class ShardReader
{
  public:
    ShardReader(const Workload& job, const JobStructure& structure, const RankStructure& rank)
        : m_graph(job.GraphOf(RankId{rank.rank}))
        , m_rank(rank)
        , m_roles(job, structure, rank.rank)
    {
    }

    /// Those of the first iteration, in the order of the program.
    std::vector<Visit> ReadVisits() const
    {
        std::vector<Visit> visits;
        for (const LayerRunPass& pass : m_rank.passes)
        {
            if (pass.iteration == 0)
            {
                AddVisits(pass, visits);
            }
        }
        return visits;
    }

    /// The bytes of whole gradients of a part, at most.
    uint64_t FindMostUnscattered() const
    {
        // What a last micro-batch scatters behind its last kernel stands with the optimizer.
        uint64_t most = UnscatteredOf({&m_rank.optimizer});
        for (const LayerRunPass& pass : m_rank.passes)
        {
            most = std::max({most, UnscatteredOf({&pass.before}), UnscatteredOf({&pass.after})});
            for (const LayerPass& layer : pass.layers)
            {
                most = std::max(most, UnscatteredOf({&layer.tasks, &layer.extra}));
            }
        }
        return most;
    }

    /// Whether the head multiplies by the matrix of the embedding: it gathers less than a byte for
    /// each number of a matrix.
    bool IsTied() const
    {
        uint64_t matrix = 0; // numbers, of the largest in a head
        uint64_t gathered = 0;
        for (const LayerRunPass& pass : m_rank.passes)
        {
            if (pass.isForward && FindLargestMatrix(pass.after) > 0)
            {
                matrix = std::max(matrix, FindLargestMatrix(pass.after));
                gathered = std::max(gathered, GatheredBy({&pass.after}));
            }
        }
        return gathered < matrix;
    }

  private:
    using Place = PartKey::Place;
    using Lists = std::initializer_list<const TaskList*>;

    void AddVisits(const LayerRunPass& pass, std::vector<Visit>& visits) const
    {
        const auto add = [&](Place place, uint32_t layer, Lists lists)
        {
            visits.push_back({.part = {pass.chunk, place, layer},
                              .isForward = pass.isForward,
                              .gathered = GatheredBy(lists)});
        };
        // A backward pass begins with the head.
        add(pass.isForward ? Place::Embedding : Place::Head, 0, {&pass.before});
        for (const LayerPass& layer : pass.layers)
        {
            add(Place::Layer, layer.layer, {&layer.tasks, &layer.extra});
        }
        add(pass.isForward ? Place::Head : Place::Embedding, 0, {&pass.after});
    }

    bool IsAmongCopies(const ExecutionNode& call) const
    {
        return call.type == NodeType::Collective &&
               (m_roles.Has(call, GroupRole::Data) || m_roles.Has(call, GroupRole::ExpertData));
    }

    uint64_t GatheredBy(Lists lists) const
    {
        uint64_t gathered = 0;
        for (const TaskList* const list : lists)
        {
            for (const uint32_t task : *list)
            {
                const ExecutionNode& call = m_graph.Node(task);
                const bool isGather =
                    IsAmongCopies(call) && call.collective == CollectiveType::AllGather;
                gathered += isGather ? call.size * m_roles.CountRanks(call) : 0; // of a shard
            }
        }
        return gathered;
    }

    /// The largest call; the gradients of a layer with experts are there together.
    uint64_t UnscatteredOf(Lists lists) const
    {
        uint64_t ofDense = 0;
        uint64_t ofExperts = 0;
        for (const TaskList* const list : lists)
        {
            for (const uint32_t task : *list)
            {
                const ExecutionNode& call = m_graph.Node(task);
                if (IsAmongCopies(call) && call.collective == CollectiveType::ReduceScatter)
                {
                    uint64_t& largest = m_roles.Has(call, GroupRole::Data) ? ofDense : ofExperts;
                    largest = std::max(largest, call.size);
                }
            }
        }
        return ofDense + ofExperts;
    }

    /// In numbers; 0: no product says its sizes.
    uint64_t FindLargestMatrix(const TaskList& tasks) const
    {
        uint64_t most = 0;
        for (const uint32_t task : tasks)
        {
            for (const KernelLaunch& kernel : m_graph.KernelsOf(m_graph.Node(task)))
            {
                most = std::max(most, kernel.op == KernelOp::Gemm ? kernel.n * kernel.k : 0);
            }
        }
        return most;
    }

    const ExecutionGraph& m_graph;
    const RankStructure& m_rank;
    CallRolesOfRank m_roles;
};

/// Goes through the visits of a rank, and notes what is gathered at each time.
class GatheredParameters
{
  public:
    GatheredParameters(const std::vector<Visit>& visits, bool isTied)
    {
        for (const Visit& visit : visits)
        {
            if (!visit.isForward)
            {
                m_backward[visit.part] |= visit.gathered > 0;
            }
            else if (isTied && visit.part.place == PartKey::Place::Embedding)
            {
                m_tied = m_tied.value_or(visit.part);
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
    bool IsKept(const Visit& visit) const
    {
        if (!visit.isForward)
        {
            return false;
        }
        if (visit.part.place == PartKey::Place::Embedding)
        {
            // The gradient of an embedding takes the tokens alone, that of a head the matrix.
            return visit.part == m_tied && !m_backward.empty();
        }
        const auto backward = m_backward.find(visit.part);
        return backward != m_backward.end() && !backward->second;
    }

    /// With the last micro-batch that went forward, what was kept is worked on while the next
    /// parameters come.
    uint64_t Release(const PartKey& part)
    {
        const auto kept = m_kept.find(part);
        if (kept == m_kept.end() || --kept->second.passes > 0)
        {
            return 0;
        }
        const uint64_t bytes = kept->second.bytes;
        m_ofKept -= bytes;
        m_kept.erase(kept);
        return bytes;
    }

    uint64_t ReleaseFor(const Visit& visit)
    {
        if (visit.isForward)
        {
            return 0;
        }
        const bool isOfTied = m_tied && visit.part.place == PartKey::Place::Head;
        return Release(visit.part) + (isOfTied ? Release(*m_tied) : 0);
    }

    void Enter(const Visit& visit)
    {
        const uint64_t bytes = visit.gathered + ReleaseFor(visit);
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
    std::optional<PartKey> m_tied;      // the embedding, where the head uses its matrix
    std::map<PartKey, Kept> m_kept;
    uint64_t m_ofKept = 0;
    uint64_t m_before = 0; // bytes of the visit before that does not keep them
    uint64_t m_most = 0;
};

} // namespace

WholeShards
FindWholeShards(const Workload& job, const JobStructure& structure, const RankStructure& rank)
{
    const ShardReader shards(job, structure, rank);
    const std::vector<Visit> visits = shards.ReadVisits();
    return {.gathered = GatheredParameters(visits, shards.IsTied()).FindMost(visits),
            .unscattered = shards.FindMostUnscattered()};
}

} // namespace nadi
