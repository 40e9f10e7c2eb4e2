// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/kv-transfer.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

/// The heads of keys and values that a rank of a tensor group holds, as TransformerParts cuts them.
Interval
HeadsOf(const ForwardModel& model, uint32_t tensorRank)
{
    const TransformerShape& shape = model.shape;
    if (shape.kvHeads >= model.tensor)
    {
        return PartOf({0, shape.kvHeads}, tensorRank, model.tensor);
    }
    // With fewer heads of keys and values than ranks, query heads are dealt out. A rank then has
    // those heads that its query heads share, from the first one's to the last one's.
    // Example: of 64 heads, which share 8 of keys and values, rank 3 of 16 has 12 to 15, and so
    // head 1 of keys and values.
    const uint64_t headsOfGroup = shape.heads / shape.kvHeads;
    const Interval heads = PartOf({0, shape.heads}, tensorRank, model.tensor);
    return {heads.begin / headsOfGroup, (heads.end - 1) / headsOfGroup + 1};
}

/// Latent vectors are whole on each rank.
Interval
UnitsOf(const ForwardModel& model, uint32_t tensorRank)
{
    return model.shape.IsLatent() ? Interval{0, 1} : HeadsOf(model, tensorRank);
}

/// The tensor ranks that hold the unit, ascending. Several hold a head where there are fewer heads
/// than ranks; all hold the latent vector.
std::vector<uint32_t>
OwnersOf(const ForwardModel& model, uint64_t unit)
{
    std::vector<uint32_t> owners;
    for (uint32_t rank = 0; rank < model.tensor; ++rank)
    {
        const Interval units = UnitsOf(model, rank);
        if (units.begin <= unit && unit < units.end)
        {
            owners.push_back(rank);
        }
    }
    return owners;
}

Interval
LayersOf(const ForwardModel& model, uint32_t stage)
{
    return {model.FirstLayer(stage), model.FirstLayer(stage + 1)};
}

uint64_t
CountCommon(const Interval& a, const Interval& b, const Interval& c)
{
    const uint64_t first = std::max({a.begin, b.begin, c.begin});
    const uint64_t last = std::min({a.end, b.end, c.end});
    return last > first ? last - first : 0;
}

} // namespace

// Each receiving rank takes each unit that it needs, a head or the latent vector, from one of its
// owners, in those layers that the stages of both have in common. Example: with 8 heads of keys and
// values, rank 1 of 4 gets the heads 2 and 3 from the ranks 2 and 3 of 8.
std::vector<KvShare>
PlanKvTransfer(const ReplicaPlace& from, const ReplicaPlace& to, const Interval& layers)
{
    const ForwardModel& source = from.instance->Model();
    const ForwardModel& destination = to.instance->Model();
    const TransformerShape& shape = source.shape;
    const uint64_t unitBytes = source.KvBytesOfLayer() / (shape.IsLatent() ? 1 : shape.kvHeads);
    std::map<std::pair<RankId, RankId>, uint64_t> bytes;
    for (uint32_t toStage = 0; toStage < destination.pipeline; ++toStage)
    {
        for (uint32_t toRank = 0; toRank < destination.tensor; ++toRank)
        {
            const RankId receiver = to.instance->RankAt(toStage, to.replica, toRank);
            const Interval units = UnitsOf(destination, toRank);
            for (uint64_t unit = units.begin; unit < units.end; ++unit)
            {
                const std::vector<uint32_t> owners = OwnersOf(source, unit);
                const uint32_t owner = owners[toRank % owners.size()];
                for (uint32_t stage = 0; stage < source.pipeline; ++stage)
                {
                    const RankId sender = from.instance->RankAt(stage, from.replica, owner);
                    bytes[{sender, receiver}] +=
                        unitBytes * CountCommon(layers,
                                                LayersOf(source, stage),
                                                LayersOf(destination, toStage));
                }
            }
        }
    }
    std::vector<KvShare> shares;
    for (const auto& [ranks, ofToken] : bytes)
    {
        if (ofToken > 0)
        {
            shares.push_back({ranks.first, ranks.second, ofToken});
        }
    }
    return shares;
}

std::vector<KvShare>
PlanKvTransfer(const ReplicaPlace& from, const ReplicaPlace& to)
{
    return PlanKvTransfer(from, to, {0, from.instance->Model().shape.layers});
}

} // namespace nadi
