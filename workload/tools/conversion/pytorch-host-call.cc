// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/pytorch-host-node.h"

#include <limits>

namespace nadi
{

namespace
{

using nlohmann::json;

// A tensor is [id, storage, offset, elements, bytes of an element, device].
constexpr size_t TENSOR_ELEMENTS = 3;
constexpr size_t TENSOR_ELEMENT_BYTES = 4;
constexpr size_t TENSOR_MEMBERS = 6;
constexpr size_t INPUTS_BEFORE_NAME = 3; // request, group and partner

bool
IsTensor(const json& value)
{
    return value.is_array() && value.size() == TENSOR_MEMBERS &&
           value[TENSOR_ELEMENTS].is_number_unsigned() &&
           value[TENSOR_ELEMENT_BYTES].is_number_unsigned() && value.back().is_string();
}

/// The bytes of the tensors of a value: a tensor, or a list of values. Absent where there is none,
/// and where they pass 63 bits, as a damaged file may name any number.
std::optional<uint64_t>
FindTensorBytes(const json& value)
{
    constexpr auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (IsTensor(value))
    {
        const auto elements = value[TENSOR_ELEMENTS].get<uint64_t>();
        const auto bytes = value[TENSOR_ELEMENT_BYTES].get<uint64_t>();
        return bytes == 0 || elements <= most / bytes ? std::optional(elements * bytes)
                                                      : std::nullopt;
    }
    std::optional<uint64_t> sum;
    for (size_t index = 0; value.is_array() && index < value.size(); ++index)
    {
        // Numbers are no tensors, nor hold they any.
        const auto bytes = value[index].is_array() ? FindTensorBytes(value[index]) : std::nullopt;
        if (bytes && *bytes > most - sum.value_or(0))
        {
            return std::nullopt;
        }
        if (bytes)
        {
            sum = sum.value_or(0) + *bytes;
        }
    }
    return sum;
}

/// Empty where there is no list at `index`, or where it holds something else than counts.
std::vector<int64_t>
ReadSplits(const json& inputs, size_t index)
{
    std::vector<int64_t> splits;
    if (index >= inputs.size() || !inputs[index].is_array())
    {
        return {};
    }
    for (const json& elements : inputs[index])
    {
        if (!elements.is_number_unsigned())
        {
            return {};
        }
        splits.push_back(elements.get<int64_t>());
    }
    return splits;
}

/// The name of the group, where it is told; older schemas have an address in its place, which
/// differs from rank to rank.
std::optional<std::string>
ReadGroupName(const json& value)
{
    const bool isPair = value.is_array() && !value.empty() && value.front().is_string();
    return isPair && !value.front().get_ref<const std::string&>().empty()
               ? std::optional(value.front().get<std::string>())
               : std::nullopt;
}

/// Requests are numbers, or pairs of a number and whether the call is a send or receive.
std::optional<int64_t>
ReadRequest(const json& value)
{
    const json& number = value.is_array() && !value.empty() ? value.front() : value;
    return number.is_number_integer() ? std::optional(number.get<int64_t>()) : std::nullopt;
}

std::optional<uint32_t>
ReadSmallCount(const json& value)
{
    return value.is_number_unsigned() && value.get<uint64_t>() <= UINT32_MAX
               ? std::optional(value.get<uint32_t>())
               : std::nullopt;
}

/// Whether the partner means something: of other calls it is the rank itself.
bool
HasPartner(const PytorchCall& call)
{
    return call.kind == PytorchCall::Kind::Send || call.kind == PytorchCall::Kind::Receive ||
           (call.type && HasRoot(*call.type));
}

} // namespace

std::optional<PytorchCall>
ReadHostCall(const json& inputs, const json& outputs)
{
    if (!inputs.is_array())
    {
        return std::nullopt;
    }
    // The name of the call is the first text among the inputs. The three inputs before it are
    // counted from there, as tensors may stand before them or not.
    size_t name = 0;
    while (name < inputs.size() && !inputs[name].is_string())
    {
        ++name;
    }
    if (name == inputs.size() || name < INPUTS_BEFORE_NAME)
    {
        return std::nullopt;
    }
    PytorchCall call = ParseCallName(inputs[name].get_ref<const std::string&>());
    call.request = ReadRequest(inputs[name - 3]);
    call.group = ReadGroupName(inputs[name - 2]);
    call.partnerPlace = HasPartner(call) ? ReadSmallCount(inputs[name - 1]) : std::nullopt;
    // Where only those three stand before the name, the call has no tensors, as `wait` and
    // `barrier`.
    call.inputBytes = name > INPUTS_BEFORE_NAME ? FindTensorBytes(inputs[0]) : std::nullopt;
    call.outputBytes = FindTensorBytes(outputs);
    call.inputSplits = ReadSplits(inputs, name + 1);
    call.outputSplits = ReadSplits(inputs, name + 2);
    call.groupSize = name + 3 < inputs.size() ? ReadSmallCount(inputs.back()) : std::nullopt;
    return call;
}

PytorchCall
ReadHostRange(const std::string& name, const json& inputs)
{
    PytorchCall call = ParseCallName(name);
    call.inputBytes = FindTensorBytes(inputs);
    return call;
}

} // namespace nadi
