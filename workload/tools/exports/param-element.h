// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nadi
{

/// The type of a tensor's elements.
struct ParamElement
{
    std::string type = "float"; ///< as PyTorch prints it in Tensor(...)
    uint64_t bytes = 4;
};

/// The type that a trace calls `dtype`, "Float" or "bfloat16"; unsigned char for one that PARAM
/// does not know.
ParamElement FindParamElement(std::string_view dtype);

/// The type of elements of so many bytes, of which there are several: real numbers, and unsigned
/// char for 1 byte. None for a number of bytes that no type has.
std::optional<ParamElement> FindParamElementOf(uint64_t bytes);

/// `wanted`, if `shares` equal shares of `bytes` are whole elements; else unsigned char.
ParamElement ChooseParamElement(const ParamElement& wanted, uint64_t bytes, uint64_t shares);

} // namespace nadi
