// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/demands/demands-writer.h"

#include "network/shape.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nadi
{

namespace
{

using Json = nlohmann::ordered_json;

/// Exact up to a quarter of a year, as picoseconds have 15 significant digits then.
double
Nanoseconds(SimTime time)
{
    return static_cast<double>(time.Ps()) / 1000;
}

Json
DimensionsJson(const std::vector<Dimension>& stack)
{
    Json list = Json::array();
    for (const Dimension& dimension : stack)
    {
        const auto shape = MakeShape(dimension.shape, "network.dimensions");
        list.push_back({{"shape", dimension.shape.name},
                        {"size", dimension.size},
                        // A dimension of one NPU has no links. It is shown with those that the
                        // shape would have with two.
                        {"links", shape->LinksPerNpu(std::max(dimension.size, 2U))}});
    }
    return list;
}

/// One field of all dimensions.
template <class Read>
Json
ByDimension(const CallDemand& call, const Read& read)
{
    Json list = Json::array();
    for (const DimensionDemand& dimension : call.dimensions)
    {
        list.push_back(read(dimension));
    }
    return list;
}

Json
CallJson(const CallDemand& call, uint64_t count)
{
    Json json{{"type", call.type},
              {"size_bytes", call.size.Count()},
              {"ranks", call.ranks},
              {"calls", count}};
    json["members"] = ByDimension(call, [](const auto& one) { return one.members; });
    json["bytes"] = ByDimension(call, [](const auto& one) { return one.bytes.Count(); });
    json["links"] = ByDimension(call, [](const auto& one) { return one.links; });
    json["steps"] = ByDimension(call, [](const auto& one) { return one.steps; });
    json["step_latency_ns"] =
        ByDimension(call, [](const auto& one) { return Nanoseconds(one.stepLatency); });
    return json;
}

Json
RankJson(const RankDemands& rank)
{
    Json json{{"first", rank.first.value},
              {"count", rank.count},
              {"compute_ns", Nanoseconds(rank.compute)},
              {"collectives", Json::array()}};
    for (const auto& [call, count] : rank.calls)
    {
        json["collectives"].push_back(CallJson(call, count));
    }
    return json;
}

} // namespace

std::string
WriteDemands(const RunInput& input, const std::vector<RankDemands>& demands)
{
    Json json{{"dimensions", DimensionsJson(input.Stack())}, {"ranks", Json::array()}};
    for (const RankDemands& rank : demands)
    {
        json["ranks"].push_back(RankJson(rank));
    }
    return json.dump(2) + "\n";
}

} // namespace nadi
