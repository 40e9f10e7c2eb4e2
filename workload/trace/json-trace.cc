// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/json-trace.h"

#include "common/error.h"
#include "common/text.h"
#include "workload/trace/graph-assembler.h"
#include "workload/trace/json-nesting.h"
#include "workload/trace/json-record.h"
#include "workload/trace/object-splitter.h"
#include "workload/trace/repeated-member.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

namespace nadi
{

namespace
{

using nlohmann::json;
using ObjectDecoder = void (*)(const json& node, NodeRecord& record);

/// The line that a byte stands in, from 1.
size_t
LineOfByte(std::string_view text, size_t at)
{
    return 1 + static_cast<size_t>(std::count(text.begin(), text.begin() + at, '\n'));
}

/// Hands nodes to an assembler, counting them for messages.
class NodeFeed
{
  public:
    /// `findLine`: the line of the node that is being added, asked for only in errors.
    NodeFeed(const std::string& source,
             ObjectDecoder decode,
             const TraceReading& reading,
             std::function<size_t()> findLine)
        : m_source(source)
        , m_findLine(std::move(findLine))
        , m_decode(decode)
        // All JSON forms number and name types as schema 0.0.4 does.
        , m_assembler(source, TraceSchema::V004, reading)
    {
    }

    void Add(const json& node)
    {
        if (!node.is_object())
        {
            ThrowAtNode("a node is no object");
        }
        m_record.Clear();
        Decode([&] { m_decode(node, m_record); });
        try
        {
            m_assembler.Add(m_record);
        }
        // The assembler names the node, but only the feed knows its line.
        catch (const ConfigError& error)
        {
            throw ConfigError(Place(), error.Problem());
        }
        ++m_nodes;
    }

    void SetMetadata(const json& object)
    {
        Decode([&] { m_assembler.SetMetadata(DecodeJsonMetadata(object)); });
    }

    TraceFile Finish()
    {
        return m_assembler.Finish();
    }

    /// Refuses the text that begins at byte `start`.
    [[noreturn]] void ThrowNoObject(size_t start, const char* why) const
    {
        throw ConfigError(m_source,
                          fmt::format("byte {}, after {}: no JSON object ({}); the file is "
                                      "cut off or damaged, or no Chakra trace",
                                      start,
                                      CountText(m_nodes, "node"),
                                      why));
    }

    /// Refuses the node that comes next.
    [[noreturn]] void ThrowAtNode(const std::string& problem) const
    {
        throw ConfigError(Place(),
                          fmt::format("after {}: {}", CountText(m_nodes, "node"), problem));
    }

  private:
    template <class Action>
    void Decode(Action action) const
    {
        try
        {
            action();
        }
        catch (const JsonNodeError& error)
        {
            ThrowAtNode(error.what());
        }
    }

    std::string Place() const
    {
        return fmt::format("{}:{}", m_source, m_findLine());
    }

    std::string m_source;
    std::function<size_t()> m_findLine;
    ObjectDecoder m_decode;
    GraphAssembler m_assembler;
    NodeRecord m_record;
    uint64_t m_nodes = 0;
};

/// A node lacks all three members only where all have their defaults, which protobuf leaves out.
bool
IsMetadata(const json& object)
{
    return object.is_object() && !object.contains("id") && !object.contains("name") &&
           !object.contains("type");
}

std::string
DescribeRepeated(const RepeatedMember& repeated)
{
    return fmt::format("\"{}\" is there twice; write it once", repeated.name);
}

/// One object of a stream, which begins at byte `start`.
json
ParseObject(std::string_view text, size_t start, const NodeFeed& feed)
{
    json object;
    try
    {
        object = json::parse(text);
    }
    catch (const json::exception& error)
    {
        feed.ThrowNoObject(start, error.what());
    }
    // After the parse, since it requires that the text is JSON.
    if (const auto repeated = FindRepeatedMember(text))
    {
        feed.ThrowAtNode(DescribeRepeated(*repeated));
    }
    return object;
}

// The text is cut at the ends of objects and each is parsed by itself: all of them together are no
// JSON document.
TraceFile
ParseStream(std::string_view contents, const std::string& source, const TraceReading& reading)
{
    ObjectSplitter splitter(contents);
    NodeFeed feed(source,
                  DecodeJsonizerNode,
                  reading,
                  [&] { return LineOfByte(contents, splitter.Start()); });
    std::string_view text;
    for (bool isFirst = true; splitter.Next(text); isFirst = false)
    {
        const json object = ParseObject(text, splitter.Start(), feed);
        if (isFirst && IsMetadata(object))
        {
            feed.SetMetadata(object);
            continue;
        }
        feed.Add(object);
    }
    return feed.Finish();
}

/// A form that is one JSON object with a list of nodes.
struct ListForm
{
    const char* member;
    ObjectDecoder decode;
    bool hasMetadata = false; ///< beside the list
};

/// The line of the item of a list that is a member of the document.
size_t
FindLineOfItem(std::string_view contents, const std::string& member, size_t item)
{
    const size_t list = contents.find('[', contents.find('"' + member + '"'));
    if (list == std::string_view::npos)
    {
        return 1;
    }
    // Only for an error's place, so the text is walked once more rather than lines counted for each
    // node.
    std::string items(contents.substr(list + 1));
    ObjectSplitter splitter(items);
    std::string_view text;
    size_t start = 0;
    for (size_t passed = 0; passed <= item && splitter.Next(text);)
    {
        if (text != ",") // which stands between two of them
        {
            start = splitter.Start();
            ++passed;
        }
    }
    return LineOfByte(contents, list + 1 + start);
}

/// Throws at the line of the item that has a member twice; at the file where the outermost object
/// has.
void
CheckRepeated(std::string_view contents, const std::string& source)
{
    const std::optional<RepeatedMember> repeated = FindRepeatedMember(contents);
    if (!repeated)
    {
        return;
    }
    const std::string place =
        repeated->list.empty()
            ? source
            : fmt::format(
                  "{}:{}", source, FindLineOfItem(contents, repeated->list, repeated->item));
    throw ConfigError(place, DescribeRepeated(*repeated));
}

TraceFile
ParseList(std::string_view contents,
          const json& document,
          const std::string& source,
          const ListForm& form,
          const TraceReading& reading)
{
    CheckRepeated(contents, source);
    const json& nodes = document[form.member];
    // Counts the nodes. The feed asks for the line of the present one in errors only.
    size_t item = 0;
    NodeFeed feed(
        source, form.decode, reading, [&] { return FindLineOfItem(contents, form.member, item); });
    if (form.hasMetadata)
    {
        feed.SetMetadata(document["metadata"]);
    }
    if (!nodes.is_array())
    {
        throw ConfigError(source, fmt::format("\"{}\" is no list of nodes", form.member));
    }
    for (const json& node : nodes)
    {
        feed.Add(node);
        ++item;
    }
    return feed.Finish();
}

[[noreturn]] void
ThrowHostTrace(const std::string& source)
{
    throw ConfigError(source,
                      "is a PyTorch host trace (ExecutionTraceObserver), which knows nothing of "
                      "the GPU, so neither simulations nor edits have the kernel times that they "
                      "need; make traces of it and the Kineto trace with nadi trace convert "
                      "--from pytorch --host ... --device ..., or see what its operators repeat "
                      "with nadi trace structure --host ...");
}

[[noreturn]] void
ThrowKinetoTrace(const std::string& source)
{
    throw ConfigError(source,
                      "is a Kineto trace (PyTorch profiler), which has no dependencies; make "
                      "traces of it with nadi trace convert --from pytorch --device ...");
}

/// Throws ConfigError for a member beside the two that are read. Files of other writers may have
/// further ones, which only they give a meaning.
void
CheckPrintedMembers(const json& document, const std::string& source)
{
    for (const auto& [name, value] : document.items())
    {
        if (name != "metadata" && name != "nodes")
        {
            throw ConfigError(source,
                              fmt::format("\"{}\" is no member of a printed trace, which has "
                                          "\"metadata\" and \"nodes\" alone",
                                          name));
        }
    }
}

/// Tells a generator's file from that of PyTorch's ExecutionTraceObserver, which has a list of
/// nodes, too. Without nodes, only the latter has a schema.
bool
HasGeneratorNodes(const json& document)
{
    const json& nodes = document["nodes"];
    if (nodes.is_array() && nodes.empty())
    {
        return !document.contains("schema");
    }
    return nodes.is_array() && nodes.front().is_object() && nodes.front().contains("node_type");
}

} // namespace

JsonTraceForm
FindJsonForm(const json& document, const std::string& source)
{
    // A stream of objects is no JSON document; any other form is one and starts like one.
    if (document.is_discarded() || !document.is_object())
    {
        return JsonTraceForm::Stream;
    }
    if (document.contains("workload_graph"))
    {
        return JsonTraceForm::Feeder;
    }
    if (document.contains("traceEvents"))
    {
        ThrowKinetoTrace(source);
    }
    // A stream may have a single object: a node, or the metadata.
    if (!document.contains("nodes"))
    {
        return JsonTraceForm::Stream;
    }
    // Of the forms with a list of nodes, only what Nadi prints has metadata beside it.
    if (document.contains("metadata"))
    {
        CheckPrintedMembers(document, source);
        return JsonTraceForm::Printed;
    }
    if (!HasGeneratorNodes(document))
    {
        ThrowHostTrace(source);
    }
    return JsonTraceForm::Generator;
}

TraceFile
ParseJsonTrace(std::string_view contents, const std::string& source, const TraceReading& reading)
{
    // Comes first: functions that print and convert JSON call themselves for each level, and would
    // run out of stack.
    CheckJsonNesting(contents, source);
    // Without exceptions: a stream of objects is no JSON document, and is parsed piece by piece.
    const json document = json::parse(contents, nullptr, false);
    const auto parse = [&](const ListForm& form)
    { return ParseList(contents, document, source, form, reading); };
    switch (FindJsonForm(document, source))
    {
    case JsonTraceForm::Feeder:
        return parse({"workload_graph", DecodeFeederNode});
    case JsonTraceForm::Printed:
        return parse({"nodes", DecodeJsonizerNode, true});
    case JsonTraceForm::Generator:
        return parse({"nodes", DecodeGeneratorNode});
    case JsonTraceForm::Stream:
        break;
    }
    return ParseStream(contents, source, reading);
}

} // namespace nadi
