// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

/// A call as `comm_replay` understands it.
struct PlayedCall
{
    std::string name; ///< without underscores and "base": "allgather"
    int64_t request = 0;
    std::vector<uint32_t> ranks; ///< of its group
    uint64_t inBytes = 0;
    uint64_t outBytes = 0;
    std::string element; ///< "float"; of waits and barriers: ""
    uint64_t place = 0;
    std::vector<uint64_t> inSplits; ///< in elements
    std::vector<uint64_t> outSplits;
};

/// Reads a host execution trace as PARAM's `comm_replay` does, by the description of that format:
/// the groups from the one node `process_group:init`, the calls from the nodes
/// `record_param_comms`, in the order of their ids. All else is overlooked.
class ParamReader
{
  public:
    using Json = nlohmann::json;

    explicit ParamReader(const std::string& text)
        : m_trace(Json::parse(text))
    {
        for (const Json& node : m_trace.at("nodes"))
        {
            if (node.at("name").get<std::string>().find("process_group:init") != std::string::npos)
            {
                ReadGroups(Json::parse(node.at("inputs").at("values").at(0).get<std::string>()));
            }
        }
        for (const Json& node : m_trace.at("nodes"))
        {
            if (node.at("name") == "record_param_comms")
            {
                m_calls.emplace(node.at("id").get<uint64_t>(), ReadCall(node));
            }
        }
    }

    std::string Schema() const
    {
        return m_trace.at("schema");
    }

    std::vector<PlayedCall> Calls() const
    {
        std::vector<PlayedCall> calls;
        for (const auto& [id, call] : m_calls)
        {
            calls.push_back(call);
        }
        return calls;
    }

    /// Only those that are no waits.
    std::vector<PlayedCall> CallsWithoutWaits() const
    {
        std::vector<PlayedCall> calls;
        for (const auto& [id, call] : m_calls)
        {
            if (call.name != "wait")
            {
                calls.push_back(call);
            }
        }
        return calls;
    }

  private:
    void ReadGroups(const Json& groups)
    {
        for (const Json& group : groups)
        {
            std::vector<uint32_t> ranks = group.at("ranks");
            for (uint32_t rank = 0; group.at("ranks").empty() && rank < group.at("group_size");
                 ++rank)
            {
                ranks.push_back(rank);
            }
            m_groups[group.at("pg_name")] = ranks;
        }
    }

    static std::string CommonName(const std::string& name)
    {
        std::string common;
        for (const char letter : name)
        {
            common += letter == '_' ? "" : std::string(1, letter);
        }
        const size_t base = common.rfind("base");
        return base == std::string::npos ? common : common.substr(0, base);
    }

    /// What a tensor holds, in bytes; `type` becomes that of its elements.
    static uint64_t BytesOf(const Json& tensor, const std::string& container, std::string& type)
    {
        static const std::map<std::string, uint64_t> sizes{{"float", 4},
                                                           {"double", 8},
                                                           {"c10::Half", 2},
                                                           {"c10::BFloat16", 2},
                                                           {"long int", 8},
                                                           {"int", 4},
                                                           {"unsigned char", 1},
                                                           {"signed char", 1},
                                                           {"bool", 1}};
        const std::string start = "Tensor(";
        const size_t at = container.find(start);
        type = container.substr(at + start.size(), container.find(')') - at - start.size());
        return tensor.at(3).get<uint64_t>() * sizes.at(type);
    }

    PlayedCall ReadCall(const Json& node) const
    {
        const Json& values = node.at("inputs").at("values");
        PlayedCall call;
        // A wait and a barrier have no tensor.
        const size_t shift = values.at(0).is_array() ? 1 : 0;
        call.request = values.at(shift);
        call.ranks = m_groups.at(values.at(shift + 1).at(0));
        call.place = values.at(shift + 2);
        call.name = CommonName(values.at(shift + 3));
        call.inSplits = values.at(shift + 4).get<std::vector<uint64_t>>();
        call.outSplits = values.at(shift + 5).get<std::vector<uint64_t>>();
        if (shift == 1)
        {
            const Json& outputs = node.at("outputs");
            call.outBytes =
                BytesOf(outputs.at("values").at(0), outputs.at("types").at(0), call.element);
            call.inBytes = BytesOf(values.at(0), node.at("inputs").at("types").at(0), call.element);
        }
        return call;
    }

    Json m_trace;
    std::map<std::string, std::vector<uint32_t>> m_groups;
    std::map<uint64_t, PlayedCall> m_calls; // by id
};

} // namespace nadi::test
