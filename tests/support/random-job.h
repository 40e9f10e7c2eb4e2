// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "tests/support/scratch-directory.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace-writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace nadi::test
{

/// A random job that can finish, as traces and a groups file: collectives of overlapping groups and
/// messages between neighbours, with different computation on every rank before each.
///
/// It can finish since every rank issues its part of one common sequence in order: an operation
/// waits for the one `width` before it on its rank, so up to `width` are under way at once.
class RandomJob
{
  public:
    struct Shape
    {
        uint32_t width = 3; ///< operations that a rank may have under way
        /// Operations that are so many apart are the same, but for a straggler now and then.
        uint32_t period = UINT32_MAX;
        std::vector<uint64_t> sizes = {}; ///< of operations; empty: any below 60 000
        /// Of collectives; empty: all-reduces and some others.
        std::vector<CollectiveType> types = {};
    };

    RandomJob(uint32_t ranks, uint64_t seed, const Shape& shape = {3, UINT32_MAX, {}, {}})
        : m_ranks(ranks)
        , m_seed(seed)
        , m_shape(shape)
    {
        m_groups.push_back({});
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            m_groups[0].push_back(rank); // all
        }
        AddGroup([&](uint32_t rank) { return rank % 2 == 0; });
        AddGroup([&](uint32_t rank) { return rank < (ranks + 1) / 2; });
        AddGroup([&](uint32_t rank) { return Draw(1, rank) % 3 != 0; });
    }

    /// Writes the files; returns the `workload` section of a configuration beside them.
    std::string Write(const ScratchDirectory& scratch, uint32_t operations) const
    {
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            const std::string name = fmt::format("job.{}.et", rank);
            WriteTrace(MakeGraph(rank, operations), (scratch.Path() / name).string());
        }
        std::string json;
        for (size_t group = 1; group < m_groups.size(); ++group)
        {
            json += fmt::format(
                "{}\"g{}\": [{}]", group > 1 ? ", " : "", group, fmt::join(m_groups[group], ", "));
        }
        scratch.Write("groups.json", "{" + json + "}");
        return "workload: {trace: \"job.{rank}.et\", groups: groups.json}\n";
    }

  private:
    template <typename Predicate>
    void AddGroup(Predicate isMember)
    {
        std::vector<uint32_t> members;
        std::copy_if(m_groups[0].begin(), m_groups[0].end(), std::back_inserter(members), isMember);
        if (members.size() > 1)
        {
            m_groups.push_back(members);
        }
    }

    uint64_t Draw(uint64_t purpose, uint64_t which) const
    {
        return Hash64({m_seed, purpose, which});
    }

    ExecutionGraph MakeGraph(uint32_t rank, uint32_t operations) const
    {
        ExecutionGraphBuilder builder("random");
        std::vector<uint64_t> own; // ids of this rank's operations
        for (uint32_t operation = 0; operation < operations; ++operation)
        {
            ExecutionNode node;
            std::string group;
            if (!Describe(operation, rank, node, group))
            {
                continue;
            }
            // A straggler now and then; nothing at all on some ranks, so that starts tie.
            const uint64_t draw = Hash64({m_seed, 2, DrawPattern(operation, rank), rank});
            const int64_t ns = draw % 4 == 0 ? 0 : static_cast<int64_t>(draw % 997) * 10;
            const bool isStraggler = draw % 31 == 0;
            const uint64_t id = uint64_t{2} * operation + 2;
            std::vector<uint64_t> after;
            if (own.size() >= m_shape.width)
            {
                after.push_back(own[own.size() - m_shape.width]);
            }
            const int64_t ps = ns * 1000 * (isStraggler ? 20 : 1);
            builder.AddNode({.id = id, .durationPs = ps, .type = NodeType::Compute}, "work", after);
            node.id = id + 1;
            node.group = builder.AddGroup(group);
            builder.AddNode(node, "operation", {id});
            own.push_back(node.id);
        }
        return builder.Build();
    }

    /// What `rank` does in an operation; false: it has no part in it.
    bool Describe(uint32_t number, uint32_t rank, ExecutionNode& node, std::string& group) const
    {
        const uint32_t operation = number % m_shape.period;
        const uint64_t draw = Draw(3, operation);
        node.size =
            m_shape.sizes.empty() ? draw % 60'000 : m_shape.sizes[draw % m_shape.sizes.size()];
        if (Draw(4, operation) % 6 == 0 && m_ranks > 1)
        {
            const auto source = static_cast<uint32_t>(Draw(5, operation) % m_ranks);
            const uint32_t destination = (source + 1) % m_ranks;
            node.type = rank == source ? NodeType::Send : NodeType::Receive;
            node.peer = rank == source ? destination : source;
            node.tag = number;
            return rank == source || rank == destination;
        }
        const size_t index = Draw(6, operation) % m_groups.size();
        const std::vector<uint32_t>& members = m_groups[index];
        group = index == 0 ? "" : fmt::format("g{}", index);
        node.type = NodeType::Collective;
        static const std::vector<CollectiveType> usual{CollectiveType::AllReduce,
                                                       CollectiveType::AllReduce,
                                                       CollectiveType::AllGather,
                                                       CollectiveType::ReduceScatter,
                                                       CollectiveType::AllToAll,
                                                       CollectiveType::Broadcast,
                                                       CollectiveType::Barrier};
        const std::vector<CollectiveType>& types = m_shape.types.empty() ? usual : m_shape.types;
        node.collective = types[Draw(7, operation) % types.size()];
        node.peer = HasRoot(node.collective) ? members.front() : ExecutionNode::NO_ROOT;
        node.size = node.collective == CollectiveType::Barrier ? 0 : node.size;
        return std::find(members.begin(), members.end(), rank) != members.end();
    }

    /// Which operation this one is like on the rank.
    uint32_t DrawPattern(uint32_t operation, uint32_t rank) const
    {
        const bool isOther = Hash64({m_seed, 9, operation, rank}) % 40 == 0;
        return isOther ? operation : operation % m_shape.period;
    }

    uint32_t m_ranks;
    uint64_t m_seed;
    Shape m_shape;
    std::vector<std::vector<uint32_t>> m_groups;
};

} // namespace nadi::test
