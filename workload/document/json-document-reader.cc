// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "common/text.h"
#include "workload/document/document-reader.h"
#include "workload/document/renewed-node.h"
#include "workload/trace/json-members.h"
#include "workload/trace/json-nesting.h"
#include "workload/trace/json-record.h"
#include "workload/trace/json-trace.h"
#include "workload/trace/object-splitter.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>
#include <nlohmann/json.hpp>

namespace nadi
{

namespace
{

using nlohmann::json;

/// Fills a document from JSON texts or values, counting nodes for messages.
class JsonNodes
{
  public:
    JsonNodes(const std::string& source, TraceDocument& document)
        : m_source(source)
        , m_document(document)
    {
    }

    /// A node as protobuf prints it.
    void AddPrinted(std::string_view text)
    {
        Parse(text, m_document.nodes.emplace_back());
    }

    void SetMetadata(std::string_view text)
    {
        Parse(text, m_document.metadata);
    }

    /// A node of one of the forms that are no protobuf.
    void AddNode(const json& node, void (*decode)(const json& node, NodeRecord& record))
    {
        if (!node.is_object())
        {
            Throw("a node is no object");
        }
        m_record.Clear();
        try
        {
            decode(node, m_record);
        }
        catch (const JsonNodeError& error)
        {
            Throw(error.what());
        }
        // The decoders of these forms write the numbers of schema 1.0.0.
        m_document.nodes.push_back(MakeNode(m_record, TraceSchema::V004));
    }

    [[noreturn]] void Throw(const std::string& problem) const
    {
        throw ConfigError(
            m_source,
            fmt::format("after {}: {}", CountText(m_document.nodes.size(), "node"), problem));
    }

  private:
    template <class Message>
    void Parse(std::string_view text, Message& message)
    {
        const auto status =
            google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, &message);
        if (!status.ok())
        {
            // The lines that follow show the place in the text by a caret.
            const std::string problem = status.ToString();
            Throw(problem.substr(0, problem.find('\n')));
        }
    }

    const std::string& m_source;
    TraceDocument& m_document;
    NodeRecord m_record;
};

bool
IsPrintedNode(std::string_view text)
{
    // What is no JSON has no members and is taken for metadata. Protobuf's parser then says what is
    // wrong with it.
    const json object = json::parse(text, nullptr, false);
    return object.contains("id") || object.contains("name") || object.contains("type");
}

void
ReadStream(std::string_view contents, JsonNodes& nodes)
{
    ObjectSplitter splitter(contents);
    std::string_view text;
    for (bool isFirst = true; splitter.Next(text); isFirst = false)
    {
        // Only the first object can be the metadata, as in a binary trace.
        isFirst && !IsPrintedNode(text) ? nodes.SetMetadata(text) : nodes.AddPrinted(text);
    }
}

void
CheckList(const json& list, const JsonNodes& nodes)
{
    if (!list.is_array())
    {
        nodes.Throw("the nodes are no list");
    }
}

void
ReadList(const json& list, JsonNodes& nodes, void (*decode)(const json& node, NodeRecord& record))
{
    CheckList(list, nodes);
    for (const json& node : list)
    {
        nodes.AddNode(node, decode);
    }
}

void
ReadPrintedList(const json& document, JsonNodes& nodes)
{
    CheckList(document["nodes"], nodes);
    // They are printed again for protobuf's parser, which knows the names and the texts of proto3's
    // JSON.
    nodes.SetMetadata(document["metadata"].dump());
    for (const json& node : document["nodes"])
    {
        nodes.AddPrinted(node.dump());
    }
}

} // namespace

TraceDocument
ReadJsonDocument(std::string_view contents, const std::string& source)
{
    // Order: first, as the parsers recurse, and deep nesting would use up the stack.
    CheckJsonNesting(contents, source);
    TraceDocument result;
    JsonNodes nodes(source, result);
    // This fails for a stream of several objects, by which FindJsonForm knows such a stream.
    const json document = json::parse(contents, nullptr, false);
    switch (FindJsonForm(document, source))
    {
    case JsonTraceForm::Feeder:
        ReadList(document["workload_graph"], nodes, DecodeFeederNode);
        break;
    case JsonTraceForm::Printed:
        ReadPrintedList(document, nodes);
        break;
    case JsonTraceForm::Generator:
        ReadList(document["nodes"], nodes, DecodeGeneratorNode);
        break;
    case JsonTraceForm::Stream:
        ReadStream(contents, nodes);
    }
    return result;
}

} // namespace nadi
