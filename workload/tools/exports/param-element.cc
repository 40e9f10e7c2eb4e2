// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/param-element.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace nadi
{

namespace
{

// Its elements are bytes, so any size is a whole number of them.
const ParamElement UNSIGNED_CHAR{"unsigned char", 1};

/// By the names of PyTorch's scalar types and of its Python library, in small letters.
const std::map<std::string, ParamElement> ELEMENTS{{"float", {"float", 4}},
                                                   {"float32", {"float", 4}},
                                                   {"double", {"double", 8}},
                                                   {"float64", {"double", 8}},
                                                   {"half", {"c10::Half", 2}},
                                                   {"float16", {"c10::Half", 2}},
                                                   {"bfloat16", {"c10::BFloat16", 2}},
                                                   {"long", {"long int", 8}},
                                                   {"int64", {"long int", 8}},
                                                   {"int", {"int", 4}},
                                                   {"int32", {"int", 4}},
                                                   {"char", {"signed char", 1}},
                                                   {"int8", {"signed char", 1}},
                                                   {"bool", {"bool", 1}}};

} // namespace

ParamElement
FindParamElement(std::string_view dtype)
{
    std::string name(dtype);
    std::transform(name.begin(),
                   name.end(),
                   name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const auto found = ELEMENTS.find(name);
    return found == ELEMENTS.end() ? UNSIGNED_CHAR : found->second;
}

std::optional<ParamElement>
FindParamElementOf(uint64_t bytes)
{
    for (const ParamElement& element :
         {UNSIGNED_CHAR, ELEMENTS.at("half"), ELEMENTS.at("float"), ELEMENTS.at("double")})
    {
        if (element.bytes == bytes)
        {
            return element;
        }
    }
    return std::nullopt;
}

ParamElement
ChooseParamElement(const ParamElement& wanted, uint64_t bytes, uint64_t shares)
{
    return bytes % (wanted.bytes * shares) == 0 ? wanted : UNSIGNED_CHAR;
}

} // namespace nadi
