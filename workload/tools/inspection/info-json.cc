// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/info-json.h"

#include <nlohmann/json.hpp>

#include <array>

namespace nadi
{

namespace
{

using InfoJson = nlohmann::ordered_json;

InfoJson
ToJson(const DependencyTotal& dependencies)
{
    return {{"data", dependencies.data},
            {"control", dependencies.control},
            {"dangling_data", dependencies.danglingData},
            {"dangling_control", dependencies.danglingControl},
            {"ignored", dependencies.ignored}};
}

InfoJson
ToJson(const WorkTotal& work)
{
    return {{"nodes", work.nodes}, {"duration_ns", work.nanos}};
}

InfoJson
ToJson(const std::map<VolumeKey, VolumeTotal>& communication)
{
    InfoJson list = InfoJson::array();
    for (const auto& [key, volume] : communication)
    {
        list.push_back({{"type", key.type},
                        {"group", key.group},
                        {"calls", volume.calls},
                        {"size", volume.size},
                        {"recorded_ns", volume.recordedNanos}});
    }
    return list;
}

InfoJson
ToComputeJson(const TraceTotals& totals)
{
    InfoJson streams = InfoJson::array();
    for (const auto& [stream, work] : totals.streams)
    {
        // Null stands for the kernels that name no stream.
        InfoJson entry{{"stream", nullptr}};
        if (stream)
        {
            entry["stream"] = *stream;
        }
        entry.update(ToJson(work));
        streams.push_back(std::move(entry));
    }
    return {{"streams", std::move(streams)},
            {"unrecorded_kernels", totals.unrecordedKernels},
            {"cpu", ToJson(totals.cpu)},
            {"memory", ToJson(totals.memory)}};
}

InfoJson
ToJson(const std::vector<TraceNote>& notes)
{
    InfoJson list = InfoJson::array();
    for (const TraceNote& note : notes)
    {
        list.push_back({{"count", note.count}, {"text", note.text}});
    }
    return list;
}

void
AddTotals(const TraceTotals& totals, InfoJson& result)
{
    result["nodes"] = totals.nodes;
    result["types"] = InfoJson(totals.types);
    result["dependencies"] = ToJson(totals.dependencies);
    result["communication"] = ToJson(totals.communication);
    result["compute"] = ToComputeJson(totals);
    result["critical_path"] = {{"duration_ns", totals.criticalPath.nanos},
                               {"nodes", totals.criticalPath.nodes},
                               {"cpu_ns", totals.criticalPath.cpuNanos}};
    result["notes"] = ToJson(totals.notes);
}

InfoJson
ToJson(const std::vector<GroupInfo>& groups)
{
    InfoJson list = InfoJson::array();
    for (const GroupInfo& group : groups)
    {
        list.push_back({{"name", group.name},
                        {"ranks", group.ranks},
                        {"origin", ToText(group.origin)},
                        {"calls", group.volume.calls},
                        {"size", group.volume.size}});
    }
    return list;
}

} // namespace

std::string_view
ToText(GroupInfo::Origin origin)
{
    static constexpr std::array<std::string_view, 4> NAMES{
        "all ranks", "groups file", "trace", "users"};
    return NAMES[static_cast<size_t>(origin)];
}

std::string
FormatInfoJson(const JobInfo& info)
{
    InfoJson json = InfoJson::object();
    AddTotals(info.total, json);
    json["groups"] = ToJson(info.groups);
    json["ranks"] = InfoJson::array();
    for (size_t rank = 0; rank < info.ranks.size(); ++rank)
    {
        InfoJson entry{{"rank", rank},
                       {"file", info.ranks[rank].file},
                       {"schema", info.ranks[rank].schema},
                       {"recorded_schema", info.ranks[rank].recordedSchema}};
        AddTotals(info.ranks[rank].totals, entry);
        json["ranks"].push_back(std::move(entry));
    }
    // Names of a damaged file may be no UTF-8, which JSON cannot hold.
    return json.dump(2, ' ', false, InfoJson::error_handler_t::replace) + "\n";
}

} // namespace nadi
