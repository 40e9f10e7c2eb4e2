// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/node-anonymiser.h"

#include "network/message-kind.h"
#include "system/kernels/kernel-launch.h"
#include "workload/document/recorded-memory.h"
#include "workload/document/recorded-ranks.h"
#include "workload/trace/memory-attributes.h"
#include "workload/trace/node-record.h"
#include "workload/trace/schema.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

namespace nadi
{

namespace
{

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::IOInfo;
using ChakraProtoMsg::Node;

/// Names that recorders and converters give to attributes, besides those that a simulation reads.
constexpr std::array<std::string_view, 28> RECORDED_NAMES{"iteration",
                                                          "start_nanos",
                                                          "tid",
                                                          "fw_tid",
                                                          "rf_id",
                                                          "fw_parent",
                                                          "seq_id",
                                                          "scope",
                                                          "scopes",
                                                          "op_schema",
                                                          "op_type",
                                                          "inputs",
                                                          "outputs",
                                                          "involved_dim",
                                                          "pg_desc",
                                                          "pg_size",
                                                          "collective_name",
                                                          "dtype",
                                                          "in_msg_nelems",
                                                          "out_msg_nelems",
                                                          "in_split_size",
                                                          "out_split_size",
                                                          "global_rank_start",
                                                          "global_rank_stride",
                                                          "kernel_backend",
                                                          "kernel_file",
                                                          "correlation",
                                                          "ts"};

/// Words of which the types of tensors consist: "GenericList[Tensor(c10::BFloat16),Int]".
constexpr std::array<std::string_view, 33> TYPE_WORDS{
    "Tensor",        "GenericList", "Tuple",    "Dict",         "None",          "Int",
    "Double",        "Bool",        "String",   "Device",       "Float",         "Long",
    "float",         "double",      "int",      "long",         "short",         "char",
    "signed",        "unsigned",    "bool",     "c10",          "Half",          "BFloat16",
    "Float8_e4m3fn", "Float8_e5m2", "complex",  "ComplexFloat", "ComplexDouble", "nullptr",
    "uninitialized", "Undefined",   "Generator"};

template <size_t Size>
bool
HoldsWord(const std::array<std::string_view, Size>& words, std::string_view word)
{
    return std::ranges::find(words, word) != words.end();
}

bool
IsKnownAttribute(const std::string& name)
{
    return FindNodeAttribute(name) != NodeAttribute::None || HoldsWord(RECORDED_NAMES, name);
}

/// Whether the whole text is a number: "262144.0".
bool
IsNumberText(const std::string& text)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

/// Whether the text is a number or numbers, a truth value or a word that readers of the schema
/// know, such as "all_reduce" or "G2".
bool
IsSchemaWord(const std::string& text)
{
    ChakraProtoMsg::CollectiveCommType collective{};
    ChakraProtoMsg::NodeType type{};
    const AttributeValue value{std::string_view(text)};
    // Lists of splits and of kernels consist of numbers and known words, and a simulation reads
    // them.
    return text.empty() || ToBool(value) || IsNumberText(text) || ParseSplitNumbers(text).isList ||
           FindMessageKind(text) || ParseKernels(text) || IsMemoryWord(text) ||
           FindCollectiveType(TraceSchema::V004, value) ||
           ChakraProtoMsg::CollectiveCommType_Parse(text, &collective) ||
           ChakraProtoMsg::NodeType_Parse(text, &type);
}

void
HideText(std::string& text, NeutralNames& texts)
{
    if (!IsSchemaWord(text))
    {
        text = texts.NameOf(text, "text");
    }
}

void
HideAttribute(AttributeProto& attribute, const NeutralWords& words)
{
    // All text goes but what is known to be harmless, as a list of what to hide would not know the
    // attributes of other recorders. Numbers stay.
    attribute.clear_doc_string();
    if (!IsKnownAttribute(attribute.name()))
    {
        attribute.set_name(words.attributes.NameOf(attribute.name(), "attribute"));
    }
    switch (attribute.value_case())
    {
    case AttributeProto::kStringVal:
        HideText(*attribute.mutable_string_val(), words.texts);
        break;
    case AttributeProto::kBytesVal:
        HideText(*attribute.mutable_bytes_val(), words.texts);
        break;
    case AttributeProto::kStringList:
        for (std::string& text : *attribute.mutable_string_list()->mutable_values())
        {
            HideText(text, words.texts);
        }
        break;
    case AttributeProto::kBytesList:
        for (std::string& text : *attribute.mutable_bytes_list()->mutable_values())
        {
            HideText(text, words.texts);
        }
        break;
    default:
        break;
    }
}

/// Whether a text holds numbers in brackets and nothing else.
bool
IsShapeText(const std::string& text)
{
    return text.find_first_not_of("0123456789-[](), ") == std::string::npos;
}

/// Whether all words of a text are known. What stands between words, such as brackets, tells
/// nothing.
bool
IsTypeText(std::string_view text)
{
    const auto isLetter = [](char letter)
    { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; };
    while (!text.empty())
    {
        const auto begin = std::ranges::find_if(text, isLetter);
        const auto end = std::find_if_not(begin, text.end(), isLetter);
        if (begin != end && !HoldsWord(TYPE_WORDS, std::string_view(begin, end)))
        {
            return false;
        }
        // Something is taken off each time: where no word is left, `end` is the end of the text.
        text.remove_prefix(static_cast<size_t>(end - text.begin()));
    }
    return true;
}

void
HideTensors(IOInfo& tensors)
{
    // Values may hold paths, names and data of the program.
    tensors.clear_values();
    if (!IsShapeText(tensors.shapes()))
    {
        tensors.clear_shapes();
    }
    if (!IsTypeText(tensors.types()))
    {
        tensors.clear_types();
    }
}

const char*
NeutralKindOf(ChakraProtoMsg::NodeType type)
{
    switch (type)
    {
    case ChakraProtoMsg::METADATA_NODE:
        return "metadata";
    case ChakraProtoMsg::MEM_LOAD_NODE:
        return "load";
    case ChakraProtoMsg::MEM_STORE_NODE:
        return "store";
    case ChakraProtoMsg::COMP_NODE:
        return "compute";
    case ChakraProtoMsg::COMM_SEND_NODE:
        return "send";
    case ChakraProtoMsg::COMM_RECV_NODE:
        return "receive";
    case ChakraProtoMsg::COMM_COLL_NODE:
        return "collective";
    default:
        return "node";
    }
}

/// Whether a text is a version such as "1.1.1-chakra.0.0.4", by which readers know PyTorch.
///
/// Any other text in the place of a version could name the program.
bool
IsVersionText(const std::string& text)
{
    constexpr std::string_view CHAKRA = "-chakra.";
    std::string digits = text;
    if (const size_t at = digits.find(CHAKRA); at != std::string::npos)
    {
        digits.replace(at, CHAKRA.size(), ".");
    }
    return !digits.empty() && digits.find_first_not_of("0123456789.") == std::string::npos;
}

} // namespace

void
AnonymiseNode(Node& node, const NeutralWords& words)
{
    // Fields of other schemas may hold any text.
    node.DiscardUnknownFields();
    node.set_name(words.names.NameOf(node.name(), NeutralKindOf(node.type())));
    for (AttributeProto& attribute : *node.mutable_attr())
    {
        HideAttribute(attribute, words);
    }
    if (node.has_inputs())
    {
        HideTensors(*node.mutable_inputs());
    }
    if (node.has_outputs())
    {
        HideTensors(*node.mutable_outputs());
    }
}

void
AnonymiseMetadata(ChakraProtoMsg::GlobalMetadata& metadata)
{
    // Only what is known to tell nothing of the program is kept.
    ChakraProtoMsg::GlobalMetadata neutral;
    neutral.set_version(IsVersionText(metadata.version()) ? metadata.version() : "");
    for (const AttributeProto& attribute : metadata.attr())
    {
        if (IsMemoryAttribute(attribute.name()) || IsRanksAttribute(attribute.name()))
        {
            *neutral.add_attr() = attribute; // numbers, as the times and sizes of nodes are
        }
        // The name alone says that the trace was converted from a text.
        const bool isInputFile = attribute.name() == "input_file";
        const bool isSchema = attribute.name() == "schema" && IsVersionText(attribute.string_val());
        if (isInputFile || isSchema)
        {
            AttributeProto& kept = *neutral.add_attr();
            kept.set_name(attribute.name());
            kept.set_string_val(isSchema ? attribute.string_val() : "");
        }
    }
    metadata = std::move(neutral);
}

} // namespace nadi
