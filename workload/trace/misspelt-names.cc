// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/misspelt-names.h"

#include "common/text.h"
#include "workload/trace/node-record.h"

#include <algorithm>
#include <functional>

namespace nadi
{

namespace
{

/// Shorter names are within two letters of too much ("ts", "tid", "pid").
constexpr size_t LEAST_LETTERS = 5;

/// A longer name with another inside says something else: "comm_group_size".
constexpr size_t MOST_LETTERS_APART = 2;

/// Of a writer of traces, for the size of a result.
constexpr std::string_view NOT_MEANT = "y_tensor_size";

std::string
FindNear(std::string_view name)
{
    if (name.size() < LEAST_LETTERS || name == NOT_MEANT)
    {
        return "";
    }
    const std::string nearest = FindNearest(name, KnownAttributeNames());
    const size_t apart =
        std::max(name.size(), nearest.size()) - std::min(name.size(), nearest.size());
    return nearest.size() < LEAST_LETTERS || apart > MOST_LETTERS_APART ? "" : nearest;
}

} // namespace

const std::string&
MisspeltNames::FindMeant(std::string_view name)
{
    // A place keeps the answer for one name. A name of the same hash takes the place over, which
    // only costs time.
    Answer& answer = m_recent[std::hash<std::string_view>{}(name) % PLACES];
    if (answer.name != name)
    {
        answer = {std::string(name), FindNear(name)};
    }
    return answer.meant;
}

bool
MisspeltNames::Count(std::string_view name)
{
    const bool isNear = !FindMeant(name).empty();
    if (isNear)
    {
        ++m_counts[std::string(name)];
    }
    return isNear;
}

} // namespace nadi
