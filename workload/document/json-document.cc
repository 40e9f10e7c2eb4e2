// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/json-document.h"

#include "common/check.h"

#include <google/protobuf/util/json_util.h>

namespace nadi
{

namespace
{

void
AppendMessage(const google::protobuf::Message& message, std::string& text)
{
    std::string printed;
    NADI_CHECK(google::protobuf::util::MessageToJsonString(message, &printed).ok());
    text += printed;
}

} // namespace

std::string
FormatJsonDocument(const TraceDocument& document)
{
    std::string text = "{\"metadata\": ";
    AppendMessage(document.metadata, text);
    text += ",\n\"nodes\": [";
    // The schema has no message for a whole trace, so the list around the nodes is written here.
    const char* separator = "\n";
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        text += separator;
        AppendMessage(node, text);
        separator = ",\n";
    }
    text += "\n]}\n";
    return text;
}

} // namespace nadi
