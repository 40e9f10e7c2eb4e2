// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/pytorch-host-node.h"

#include <array>
#include <stdexcept>

namespace nadi
{

namespace
{

using nlohmann::json;

/// Attributes of schema 1.0.1, where they are members of the node.
constexpr std::array FLAT_ATTRIBUTES{"rf_id",
                                     "fw_parent",
                                     "seq_id",
                                     "scope",
                                     "tid",
                                     "fw_tid",
                                     "op_schema",
                                     "kernel_backend",
                                     "kernel_file"};

/// A null value where there is no object, or no such member.
const json&
GetMember(const json& object, const char* member)
{
    static const json NONE;
    if (!object.is_object())
    {
        return NONE;
    }
    const auto found = object.find(member);
    return found == object.end() ? NONE : *found;
}

uint64_t
ReadCount(const json& value, const char* name)
{
    if (!value.is_number_unsigned())
    {
        throw std::runtime_error(std::string("has no number \"") + name + "\"");
    }
    return value.get<uint64_t>();
}

/// Empty texts, nulls and objects say nothing and are left out. Lists and booleans are kept as
/// their JSON text.
void
AddAttribute(const std::string& name, const json& value, PytorchHostNode& node)
{
    if (value.is_string() && !value.get_ref<const std::string&>().empty())
    {
        node.attributes.emplace_back(name, value.get<std::string>());
    }
    else if (value.is_number_unsigned())
    {
        node.attributes.emplace_back(name, value.get<uint64_t>());
    }
    else if (value.is_number_integer())
    {
        node.attributes.emplace_back(name, value.get<int64_t>());
    }
    else if (value.is_number())
    {
        node.attributes.emplace_back(name, value.get<double>());
    }
    else if (value.is_array() || value.is_boolean())
    {
        node.attributes.emplace_back(name, value.dump());
    }
}

void
ReadAttributes(const json& attributes, PytorchHostNode& node)
{
    for (const json& attribute : attributes)
    {
        const json& name = GetMember(attribute, "name");
        if (!name.is_string())
        {
            throw std::runtime_error("has an attribute without a name");
        }
        AddAttribute(name.get<std::string>(), GetMember(attribute, "value"), node);
    }
}

void
ReadFlatAttributes(const json& owner, PytorchHostNode& node)
{
    for (const char* const name : FLAT_ATTRIBUTES)
    {
        AddAttribute(name, GetMember(owner, name), node);
    }
}

/// 0 where the node lacks the attribute, or where its value is no count.
uint64_t
FindAttributeNumber(const PytorchHostNode& node, const std::string& name)
{
    for (const auto& [key, value] : node.attributes)
    {
        if (key == name && std::holds_alternative<uint64_t>(value))
        {
            return std::get<uint64_t>(value);
        }
    }
    return 0;
}

PytorchValues
ToValues(const json& values, const json& shapes, const json& types)
{
    if (!values.is_array() || values.empty())
    {
        return {};
    }
    // Text that is not UTF-8 would be none in a Chakra trace either.
    constexpr auto replace = json::error_handler_t::replace;
    const auto toText = [](const json& value)
    { return value.is_null() ? std::string() : value.dump(-1, ' ', false, replace); };
    return {toText(values), toText(shapes), toText(types)};
}

void
ReadCall(const json& inputs, const json& outputs, PytorchHostNode& node)
{
    if (node.name == "record_param_comms")
    {
        node.call = ReadHostCall(inputs, outputs);
    }
    else if (IsCommunicationKernel(node.name))
    {
        node.call = ReadHostRange(node.name, inputs);
    }
}

/// Inputs and outputs, which stand in the node (schema 1.0.1) or in objects of it.
void
ReadValues(const json& owner, PytorchHostNode& node)
{
    const json& inputs = GetMember(owner, "inputs");
    const json& outputs = GetMember(owner, "outputs");
    if (inputs.is_object())
    {
        node.inputs = ToValues(
            GetMember(inputs, "values"), GetMember(inputs, "shapes"), GetMember(inputs, "types"));
        node.outputs = ToValues(GetMember(outputs, "values"),
                                GetMember(outputs, "shapes"),
                                GetMember(outputs, "types"));
        ReadCall(GetMember(inputs, "values"), GetMember(outputs, "values"), node);
        return;
    }
    node.inputs =
        ToValues(inputs, GetMember(owner, "input_shapes"), GetMember(owner, "input_types"));
    node.outputs =
        ToValues(outputs, GetMember(owner, "output_shapes"), GetMember(owner, "output_types"));
    ReadCall(inputs, outputs, node);
}

} // namespace

PytorchHostNode
ReadPytorchHostNode(const json& owner)
{
    PytorchHostNode node;
    node.id = ReadCount(GetMember(owner, "id"), "id");
    const json& name = GetMember(owner, "name");
    if (!name.is_string())
    {
        throw std::runtime_error("has no \"name\"");
    }
    node.name = name.get<std::string>();
    // Schema 1.0.1 calls it otherwise. The root is its own parent, or has none.
    const json& parent = GetMember(owner, owner.contains("ctrl_deps") ? "ctrl_deps" : "parent");
    node.parent = parent.is_number_unsigned() ? parent.get<uint64_t>() : 0;
    // Schemas after 1.0.1 have a list of attributes. In 1.0.1 they are members of the node.
    const json& attributes = GetMember(owner, "attrs");
    if (attributes.is_array())
    {
        ReadAttributes(attributes, node);
    }
    else
    {
        ReadFlatAttributes(owner, node);
    }
    node.recordFunction = FindAttributeNumber(node, "rf_id");
    node.thread = static_cast<int64_t>(FindAttributeNumber(node, "tid"));
    ReadValues(owner, node);
    return node;
}

} // namespace nadi
