// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/packet/memo/period-labels.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi
{

/// What entered a period so far, in order. It is kept for each period that is answered, in case
/// that it must be simulated after all, so it is small: what equals that of one of the last inputs,
/// as ends, size and stream do for the messages of a collective, is kept once.
///
/// Tokens are not kept: they are of use to the sender alone.
class EnteredInputs
{
  public:
    size_t Count() const
    {
        return m_entries.size();
    }

    bool IsEmpty() const
    {
        return m_entries.empty();
    }

    void Add(const PeriodInput& input)
    {
        m_entries.push_back(Pack(input));
    }

    /// Requires: index < Count().
    PeriodInput operator[](size_t index) const
    {
        return Unpack(m_entries[index]);
    }

    void Replace(size_t index, const PeriodInput& input)
    {
        m_entries[index] = Pack(input);
    }

    void SetDelivered(size_t index, int64_t at)
    {
        m_entries[index].delivered = at;
    }

    /// Forgets them, and gives their memory back.
    void Clear()
    {
        m_entries = {};
        m_shared = {};
    }

  private:
    /// What many inputs have in common.
    struct Shared
    {
        StreamId stream; // first, as they differ by it most often
        VertexId source;
        VertexId destination;
        Bytes size;
        Bytes overhead;
        uint64_t program;
        uint32_t way;

        bool operator==(const Shared&) const = default;
    };

    struct Entry
    {
        MessageKey key;
        int64_t delivered;
        uint32_t place;
        uint32_t shared; ///< index in m_shared
    };

    /// So many of the last ones are looked through: an edge may be in dozens of trees, whose
    /// messages have streams of their own and go two ways.
    static constexpr size_t LOOKED_THROUGH = 64;

    Entry Pack(const PeriodInput& input)
    {
        const Message& message = input.message;
        return {message.key,
                input.delivered,
                input.place,
                Share({message.stream,
                       message.source,
                       message.destination,
                       message.size,
                       message.overhead,
                       input.program,
                       input.way})};
    }

    PeriodInput Unpack(const Entry& entry) const
    {
        const Shared& shared = m_shared[entry.shared];
        return {.message = {.source = shared.source,
                            .destination = shared.destination,
                            .size = shared.size,
                            .stream = shared.stream,
                            .key = entry.key,
                            .overhead = shared.overhead},
                .way = shared.way,
                .place = entry.place,
                .delivered = entry.delivered,
                .program = shared.program};
    }

    uint32_t Share(const Shared& shared)
    {
        const size_t count = m_shared.size();
        for (size_t back = 1; back <= count && back <= LOOKED_THROUGH; ++back)
        {
            if (m_shared[count - back] == shared)
            {
                return static_cast<uint32_t>(count - back);
            }
        }
        m_shared.push_back(shared);
        return static_cast<uint32_t>(count);
    }

    std::vector<Entry> m_entries;
    std::vector<Shared> m_shared;
};

} // namespace nadi
