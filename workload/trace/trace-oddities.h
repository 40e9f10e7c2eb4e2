// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace-problems.h"
#include "workload/trace/misspelt-names.h"
#include "workload/trace/node-record.h"
#include "workload/trace/trace-file.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nadi
{

/// What a node may have that a run gets along with, but the user should know.
enum class TraceOddity : uint8_t
{
    HostCommunication,
    MissingSize,
    ReceiveWithoutSize,
    EmptySize,
    UnknownType,
    NoType,
    UnreadableGroups,
    PartialDimensions,
    MemoryWithoutSize,
    DurationWithoutUnit,
    Count,
};

/// Counts the oddities of a trace for its notes, and tells the listener of each with its node.
class TraceOddities
{
  public:
    /// The listener outlives this.
    explicit TraceOddities(TraceListener& listener);

    void Tell(TraceOddity oddity, const NodeRecord& record);

    /// Tells of an attribute that means nothing where its name is nearly one that does.
    void TellName(const NodeRecord& record, std::string_view name);

    void AppendNotes(std::vector<TraceNote>& notes) const;

  private:
    TraceListener& m_listener;
    MisspeltNames m_misspelt;
    std::array<uint64_t, static_cast<size_t>(TraceOddity::Count)> m_counts{};
};

} // namespace nadi
