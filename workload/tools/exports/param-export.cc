// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/param-export.h"

#include "workload/tools/exports/param-calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <iterator>
#include <vector>

namespace nadi
{

namespace
{

// All nodes are children of a root: the node that defines the groups, and then the calls.
constexpr uint64_t ROOT_ID = 1;
constexpr uint64_t GROUPS_ID = 2;
constexpr uint64_t FIRST_CALL_ID = 3;

const char*
DescriptionOf(CommunicatorId group)
{
    return group.value == 0 ? "default_pg" : "group";
}

/// The communicators, as JSON.
std::string
FormatParamGroups(const Workload& job)
{
    nlohmann::ordered_json groups = nlohmann::ordered_json::array();
    for (const Communicator& communicator : job.communicators)
    {
        std::vector<uint32_t> ranks;
        // An empty list means all ranks.
        for (size_t at = 0; communicator.id.value != 0 && at < communicator.ranks.size(); ++at)
        {
            ranks.push_back(communicator.ranks[at].value);
        }
        groups.push_back({{"pg_name", std::to_string(communicator.id.value)},
                          {"pg_desc", DescriptionOf(communicator.id)},
                          {"backend_config", "cuda:nccl"},
                          {"ranks", ranks},
                          {"group_size", communicator.ranks.size()},
                          {"group_count", job.communicators.size()}});
    }
    return groups.dump();
}

/// A list of tensors, arguments or results: parallel lists of values, shapes and types, as JSON
/// without the brackets around them.
struct ValueLists
{
    std::string values;
    std::string shapes;
    std::string types;

    /// Holds: all three lists are equally long, as entries of one place belong together.
    void Add(const std::string& value, const std::string& shape, const std::string& type)
    {
        const char* const separator = values.empty() ? "" : ",";
        values += separator + value;
        shapes += separator + shape;
        types += separator + ("\"" + type + "\"");
    }

    /// A tensor is [id, storage, offset, elements, bytes of an element, device].
    void AddTensor(uint64_t id, uint64_t elements, const ParamElement& element)
    {
        Add(fmt::format("[{},{},0,{},{},\"cuda:0\"]", id, id, elements, element.bytes),
            fmt::format("[{}]", elements),
            fmt::format("Tensor({})", element.type));
    }

    void AddSplits(const std::vector<uint64_t>& splits)
    {
        const std::vector<const char*> shapesOfSplits(splits.size(), "[]");
        const std::vector<const char*> typesOfSplits(splits.size(), "Int");
        Add(fmt::format("[{}]", fmt::join(splits, ",")),
            fmt::format("[{}]", fmt::join(shapesOfSplits, ",")),
            fmt::format("GenericList[{}]", fmt::join(typesOfSplits, ",")));
    }
};

void
AppendParamNode(uint64_t id,
                const char* name,
                const ValueLists& inputs,
                const ValueLists& outputs,
                std::string& text)
{
    fmt::format_to(std::back_inserter(text),
                   "{{\"id\":{},\"name\":\"{}\",\"ctrl_deps\":{},"
                   "\"inputs\":{{\"values\":[{}],\"shapes\":[{}],\"types\":[{}]}},"
                   "\"outputs\":{{\"values\":[{}],\"shapes\":[{}],\"types\":[{}]}},"
                   "\"attrs\":[{{\"name\":\"rf_id\",\"type\":\"uint64\",\"value\":{}}},"
                   "{{\"name\":\"fw_parent\",\"type\":\"uint64\",\"value\":0}},"
                   "{{\"name\":\"seq_id\",\"type\":\"int64\",\"value\":-1}},"
                   "{{\"name\":\"scope\",\"type\":\"uint64\",\"value\":0}},"
                   "{{\"name\":\"tid\",\"type\":\"uint64\",\"value\":1}},"
                   "{{\"name\":\"fw_tid\",\"type\":\"uint64\",\"value\":0}},"
                   "{{\"name\":\"op_schema\",\"type\":\"string\",\"value\":\"\"}}]}}",
                   id,
                   name,
                   ROOT_ID,
                   inputs.values,
                   inputs.shapes,
                   inputs.types,
                   outputs.values,
                   outputs.shapes,
                   outputs.types,
                   id);
}

void
AppendParamCall(uint64_t id, const ParamCall& call, std::string& text)
{
    ValueLists inputs;
    ValueLists outputs;
    if (call.name != "wait" && call.name != "barrier")
    {
        // No two tensors of the trace share an id.
        inputs.AddTensor(2 * id, call.inElements, call.element);
        outputs.AddTensor(2 * id + 1, call.outElements, call.element);
    }
    // The arguments of record_param_comms in their order.
    inputs.Add(std::to_string(call.request), "[]", "Int");
    inputs.Add(fmt::format("[\"{}\",\"{}\"]", call.group.value, DescriptionOf(call.group)),
               "[[],[]]",
               "Tuple[String,String]");
    inputs.Add(std::to_string(call.place), "[]", "Int");
    inputs.Add("\"" + call.name + "\"", "[]", "String");
    inputs.AddSplits(call.inSplits);
    inputs.AddSplits(call.outSplits);
    AppendParamNode(id, "record_param_comms", inputs, outputs, text);
}

} // namespace

std::string
FormatParamTrace(const UnevenExchanges& exchanges, RankId rank, const TraceDocument* document)
{
    std::string text =
        fmt::format("{{\"schema\":\"1.1.0-chakra.0.0.4\",\"pid\":{},"
                    "\"time\":\"1970-01-01 00:00:00\",\"start_ts\":0,\n\"nodes\":[\n",
                    rank.value + 1);
    AppendParamNode(ROOT_ID, "[pytorch|profiler|execution_trace|process]", {}, {}, text);
    ValueLists groups;
    // comm_replay takes the groups as JSON within a string, so the list is quoted once more.
    groups.Add(nlohmann::json(FormatParamGroups(exchanges.Job())).dump(), "[]", "String");
    text += ",\n";
    AppendParamNode(GROUPS_ID, "## process_group:init ##", groups, {}, text);
    uint64_t id = FIRST_CALL_ID;
    for (const ParamCall& call : ListParamCalls(exchanges, rank, document))
    {
        text += ",\n";
        AppendParamCall(id++, call, text);
    }
    return text + "\n],\"finish_ts\":0}\n";
}

} // namespace nadi
