// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/program-builder.h"

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace nadi::test
{

/// A program that is easy to write and to spoil: steps are named by numbers that stay when others
/// are dropped. Scratch place s has chunk s modulo the number of chunks.
struct DraftProgram
{
    struct Step
    {
        uint32_t name = 0;
        ProgramStep what;
        std::optional<uint32_t> after; ///< a name; a step that does not exist counts as none
    };

    struct Lane
    {
        ProgramLane what;
        std::vector<Step> steps;
    };

    ProgramBuffers buffers;
    std::vector<std::vector<Lane>> ranks;
    uint32_t names = 0;

    explicit DraftProgram(const ProgramBuffers& of)
        : buffers(of)
        , ranks(of.ranks)
    {
    }

    /// The lane of `rank` for what it sends to `peer`, or receives from it, on a channel.
    Lane& LaneFor(uint32_t rank, bool isSending, uint32_t peer, uint32_t channel)
    {
        const auto [known, isNew] =
            m_lanes.try_emplace({rank, isSending, peer, channel}, ranks[rank].size());
        if (isNew)
        {
            ProgramLane what{.channel = channel};
            (isSending ? what.sendPeer : what.receivePeer) = peer;
            ranks[rank].push_back({.what = what, .steps = {}});
        }
        return ranks[rank][known->second];
    }

    uint32_t Add(Lane& lane, const ProgramStep& what, std::optional<uint32_t> after = {})
    {
        lane.steps.push_back({.name = names, .what = what, .after = after});
        return names++;
    }

    /// Chunk `chunk` goes from one rank to another once `after` of the sender are complete. The
    /// name of the step that receives it.
    uint32_t Move(uint32_t from,
                  uint32_t to,
                  uint32_t chunk,
                  const std::vector<uint32_t>& after,
                  bool isReduced,
                  uint32_t channel = 0)
    {
        using Action = ProgramStep::Action;
        Lane& sending = LaneFor(from, true, to, channel);
        for (size_t wait = 0; wait + 1 < after.size(); ++wait)
        {
            Add(sending, {}, after[wait]);
        }
        Add(sending,
            {.place = chunk, .count = 1, .action = Action::Send},
            after.empty() ? std::nullopt : std::optional(after.back()));
        return Add(LaneFor(to, false, from, channel),
                   {.place = chunk,
                    .count = 1,
                    .action = isReduced ? Action::ReceiveReduce : Action::Receive});
    }

    MessageProgram Build() const
    {
        ProgramBuilder builder(buffers);
        for (const std::vector<Lane>& lanes : ranks)
        {
            std::map<uint32_t, uint32_t> numbers;
            for (const Lane& lane : lanes)
            {
                for (const Step& step : lane.steps)
                {
                    const auto number = static_cast<uint32_t>(numbers.size());
                    numbers[step.name] = number;
                }
            }
            builder.BeginRank();
            for (const Lane& lane : lanes)
            {
                builder.BeginLane(lane.what);
                for (const Step& step : lane.steps)
                {
                    ProgramStep what = step.what;
                    const bool waits = step.after && numbers.contains(*step.after);
                    what.after = waits ? numbers.at(*step.after) : ProgramStep::NONE;
                    const bool isScratch = what.place >= buffers.ScratchBegin();
                    builder.Add(what,
                                isScratch ? std::optional((what.place - buffers.ScratchBegin()) %
                                                          buffers.chunks)
                                          : std::nullopt);
                }
            }
        }
        return std::move(builder).Finish();
    }

  private:
    std::map<std::tuple<uint32_t, bool, uint32_t, uint32_t>, size_t> m_lanes;
};

/// Ranks in a random tree; each but the first has a parent that comes before it.
struct RandomTree
{
    std::vector<uint32_t> order;
    std::vector<uint32_t> parent; ///< by place in the order: another place

    RandomTree(uint32_t ranks, uint32_t root, std::mt19937& random)
    {
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            order.push_back((root + rank) % ranks);
        }
        for (uint32_t place = ranks; place > 2; --place)
        {
            std::swap(order[place - 1], order[1 + random() % (place - 1)]);
        }
        parent.push_back(0);
        for (uint32_t place = 1; place < ranks; ++place)
        {
            parent.push_back(static_cast<uint32_t>(random() % place));
        }
    }
};

/// Sends chunk `chunk` of the root down a tree. `ready`: what must be complete there.
inline void
AddBroadcast(DraftProgram& draft,
             const RandomTree& tree,
             uint32_t chunk,
             const std::vector<uint32_t>& ready)
{
    std::vector<std::vector<uint32_t>> after{ready};
    for (size_t place = 1; place < tree.order.size(); ++place)
    {
        const uint32_t parent = tree.parent[place];
        after.push_back(
            {draft.Move(tree.order[parent], tree.order[place], chunk, after[parent], false, 1)});
    }
}

/// Sums chunk `chunk` of all up a tree. What must be complete at the root.
inline std::vector<uint32_t>
AddReduction(DraftProgram& draft, const RandomTree& tree, uint32_t chunk)
{
    std::vector<std::vector<uint32_t>> after(tree.order.size());
    for (size_t place = tree.order.size() - 1; place > 0; --place)
    {
        const uint32_t parent = tree.parent[place];
        after[parent].push_back(
            draft.Move(tree.order[place], tree.order[parent], chunk, after[place], true));
    }
    return after[0];
}

/// Chunk by chunk over a random tree of its own. Of types that need shards, `chunks` is of a shard.
inline DraftProgram
RandomTreeProgram(CollectiveType type, uint32_t ranks, uint32_t chunks, std::mt19937& random)
{
    const bool hasShards =
        type == CollectiveType::AllGather || type == CollectiveType::ReduceScatter;
    DraftProgram draft(
        {.type = type, .ranks = ranks, .chunks = hasShards ? ranks * chunks : chunks});
    for (uint32_t chunk = 0; chunk < draft.buffers.chunks; ++chunk)
    {
        const auto root = static_cast<uint32_t>(hasShards ? chunk / chunks : random() % ranks);
        const RandomTree tree(ranks, root, random);
        std::vector<uint32_t> ready;
        if (type != CollectiveType::AllGather)
        {
            ready = AddReduction(draft, tree, chunk);
        }
        if (type != CollectiveType::ReduceScatter)
        {
            AddBroadcast(draft, tree, chunk, ready);
        }
    }
    return draft;
}

} // namespace nadi::test
