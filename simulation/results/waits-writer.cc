// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/waits-writer.h"

#include <nlohmann/json.hpp>

namespace nadi
{

namespace
{

using Json = nlohmann::ordered_json;

Json
RanksJson(const std::vector<RankId>& ranks)
{
    Json list = Json::array();
    for (const RankId rank : ranks)
    {
        list.push_back(rank.value);
    }
    return list;
}

Json
RankJson(const WaitingRank& waiting)
{
    Json rank = Json::object();
    rank["rank"] = waiting.rank.value;
    rank["node"] = waiting.node.value;
    rank["name"] = waiting.name;
    rank["waits_for"] = waiting.waitsFor;
    rank["waits_for_ranks"] = RanksJson(waiting.waitsForRanks);
    rank["nodes_left"] = waiting.nodesLeft;
    return rank;
}

Json
SwitchesJson(const std::vector<WaitingSwitch>& switches)
{
    Json list = Json::array();
    for (const WaitingSwitch& waiting : switches)
    {
        list.push_back({{"switch", waiting.name},
                        {"waits_for", waiting.waitsFor},
                        {"waits_for_names", waiting.waitsForNames}});
    }
    return list;
}

} // namespace

std::string
WriteWaits(const WaitReport& report)
{
    Json waits = Json::object();
    waits["causes"] = report.causes;
    waits["cycle"] = RanksJson(report.cycle);
    waits["ranks"] = Json::array();
    for (const WaitingRank& waiting : report.ranks)
    {
        waits["ranks"].push_back(RankJson(waiting));
    }
    if (!report.switches.empty())
    {
        waits["switches"] = SwitchesJson(report.switches);
    }
    // Names come from traces, which may hold anything.
    return waits.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace nadi
