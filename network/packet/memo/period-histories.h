// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/packet/memo/period-map.h"
#include "network/packet/memo/period-recorder.h"
#include "network/packet/memo/period-trie.h"
#include "network/packet/memo/period.h"
#include "network/packet/memo/traffic-table.h"
#include "network/packet/memo/way-table.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// What entered several periods, as if it had entered one.
class PeriodHistories
{
  public:
    static constexpr uint32_t NONE = PeriodTrie::NONE;

    /// All of it outlives the histories.
    struct Surroundings
    {
        const PeriodMap& periods;
        PeriodTrie& trie;
        WayTable& ways;
        const TrafficTable& traffics;
        PeriodRecorder& recorder;
    };

    explicit PeriodHistories(const Surroundings& surroundings)
        : m_periods(surroundings.periods)
        , m_trie(surroundings.trie)
        , m_ways(surroundings.ways)
        , m_traffics(surroundings.traffics)
        , m_recorder(surroundings.recorder)
    {
    }

    /// A period with all that entered the members, and with what enters the first of them now; its
    /// ways are stamped with `stamp` (PeriodLabels::Reset). Requires: what entered is known.
    Period Unite(const std::vector<uint32_t>& members, uint64_t stamp, int64_t now) const;

    /// Where that leads, from the root of the trie; NONE: to nothing that was seen. Sorts the
    /// inputs as the words of the trie name them.
    uint32_t Find(Period& period)
    {
        return Walk(period, Missing::IsNone);
    }

    /// Likewise, and makes the nodes that are missing. NONE: what follows cannot be recorded.
    uint32_t FindOrMake(Period& period)
    {
        return Walk(period, Missing::IsMade);
    }

  private:
    enum class Missing : uint8_t
    {
        IsNone,
        IsMade,
    };

    uint32_t Walk(Period& period, Missing missing);
    std::vector<PeriodOutput> FindOutputs(const Period& period, uint32_t inputs) const;
    void AddGiven(const Period& period, uint32_t input, std::vector<PeriodOutput>& outputs) const;

    const PeriodMap& m_periods;
    PeriodTrie& m_trie;
    WayTable& m_ways;
    const TrafficTable& m_traffics;
    PeriodRecorder& m_recorder;
    std::vector<uint64_t> m_words; // of the inputs of an instant
};

} // namespace nadi
