// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "workload/tools/conversion/pytorch-host-node.h"
#include "workload/tools/conversion/pytorch-host-trace.h"
#include "workload/trace/file-contents.h"
#include "workload/trace/json-nesting.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <stdexcept>

namespace nadi
{

namespace
{

using nlohmann::json;

/// Versions of the observer; what follows the first "-" is the version of Chakra's own schema.
constexpr std::array SCHEMAS{"1.0.1", "1.0.2", "1.0.3", "1.0.4", "1.1.0", "1.1.1"};

/// Takes a host trace apart while it is parsed, so that no more than one node is in memory as JSON.
class HostReader
{
  public:
    explicit HostReader(PytorchHostTrace& trace)
        : m_trace(trace)
    {
    }

    void Read(const std::string& contents)
    {
        const auto callback = [this](int depth, json::parse_event_t event, json& value)
        { return Keep(depth, event, value); };
        try
        {
            // The callback takes the nodes, so only the head is left.
            const json head = json::parse(contents, callback);
            if (!m_hasNodes || !head.contains("schema"))
            {
                Fail("has no \"schema\" and \"nodes\"; a host trace is the JSON that PyTorch's "
                     "ExecutionTraceObserver writes");
            }
            CheckSchema(head["schema"]);
        }
        catch (const json::exception& error)
        {
            Fail(fmt::format("is no host trace ({}); write it anew with PyTorch's "
                             "ExecutionTraceObserver",
                             error.what()));
        }
    }

  private:
    [[noreturn]] void Fail(const std::string& problem) const
    {
        throw ConfigError(m_trace.source, problem);
    }

    /// Called for each value that was parsed; the answer false leaves it out of the document.
    /// Members of the trace have depth 1, and nodes in their list depth 2.
    bool Keep(int depth, json::parse_event_t event, json& value)
    {
        if (depth == 1 && event == json::parse_event_t::key)
        {
            m_isInNodes = value == "nodes";
            m_hasNodes = m_hasNodes || m_isInNodes;
            return true;
        }
        const bool isNode = m_isInNodes && depth == 2 && event == json::parse_event_t::object_end;
        if (isNode)
        {
            AddNode(value);
        }
        return !isNode;
    }

    void AddNode(const json& value)
    {
        ++m_number;
        try
        {
            m_trace.nodes.push_back(ReadPytorchHostNode(value));
        }
        catch (const json::exception&)
        {
            throw;
        }
        catch (const std::runtime_error& error)
        {
            Fail(fmt::format(
                "node {} {}; a node has an id, a name and attributes", m_number, error.what()));
        }
        AddGroups(m_trace.nodes.back());
    }

    /// Where several nodes define a group, the last one counts.
    void AddGroups(const PytorchHostNode& node)
    {
        if (node.name.find("process_group:init") == std::string::npos)
        {
            return;
        }
        std::optional<ProcessGroups> groups = ParseProcessGroups(UnquoteJson(node.inputs.values));
        // One unreadable node does not spoil the conversion: calls may name the ranks of their
        // groups themselves.
        m_trace.unreadableGroups += groups ? 0 : 1;
        for (auto& [name, ranks] : groups ? *groups : ProcessGroups{})
        {
            m_trace.groups.insert_or_assign(name, ranks);
        }
    }

    /// ["[{...}]"] with the text inside plain, as ParseProcessGroups takes it.
    static std::string UnquoteJson(const std::string& values)
    {
        const json list = json::parse(values, nullptr, false);
        return list.is_array() && list.size() == 1 && list[0].is_string()
                   ? "['" + list[0].get<std::string>() + "']"
                   : values;
    }

    /// Called after all nodes were read, as the schema may stand behind them in the file.
    void CheckSchema(const json& schema)
    {
        m_trace.schema = schema.is_string() ? schema.get<std::string>() : schema.dump();
        const std::string version = m_trace.schema.substr(0, m_trace.schema.find('-'));
        for (const char* const known : SCHEMAS)
        {
            if (version == known)
            {
                return;
            }
        }
        Fail(fmt::format("is of schema \"{}\"; schemas {} to {} can be read",
                         m_trace.schema,
                         SCHEMAS.front(),
                         SCHEMAS.back()));
    }

    PytorchHostTrace& m_trace;
    bool m_isInNodes = false;
    bool m_hasNodes = false;
    uint64_t m_number = 0; // of the node, from 1
};

} // namespace

PytorchHostTrace
ParsePytorchHostTrace(std::string contents, const std::string& source)
{
    if (IsCompressed(contents))
    {
        contents = Inflate(contents, source);
    }
    CheckJsonNesting(contents, source);
    PytorchHostTrace trace;
    trace.source = source;
    HostReader(trace).Read(contents);
    return trace;
}

PytorchHostTrace
ReadPytorchHostTrace(const std::string& path)
{
    return ParsePytorchHostTrace(ReadFileContents(path), path);
}

} // namespace nadi
