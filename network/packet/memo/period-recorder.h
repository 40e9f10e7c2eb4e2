// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/packet/memo/period-map.h"
#include "network/packet/memo/period-trie.h"
#include "network/packet/memo/period.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Who answers periods from what is recorded meanwhile.
class RecordReader
{
  public:
    virtual ~RecordReader() = default;

    /// The node that answers the period says more. Order: of time.
    virtual void OnOutputKnown(uint32_t period, const PeriodOutput& output) = 0;

    /// Nobody records the node that answers the period any more.
    virtual void OnUnled(uint32_t period) = 0;
};

/// Writes what comes of live periods into the trie, and tells of it where periods are answered from
/// the same node.
///
/// Holds: a node has at most one *leader*, the live period that is recorded there, and any number
/// of *followers*, which are answered from there. A period leads or follows one node at most.
class PeriodRecorder
{
  public:
    /// All references outlive it.
    PeriodRecorder(PeriodTrie& trie, PeriodMap& periods, RecordReader& reader)
        : m_trie(trie)
        , m_periods(periods)
        , m_reader(reader)
    {
    }

    /// What happens in the period is recorded at this node from now on.
    void Lead(uint32_t index, uint32_t node);

    bool IsLed(uint32_t index) const
    {
        return m_trie[m_periods[index].node].leader == index;
    }

    /// What happens after `now` is not recorded at the period's node any more. Requires: it leads.
    void LeaveLead(uint32_t index, int64_t now);

    /// The period is answered from this node from now on.
    void Follow(uint32_t index, uint32_t node);

    /// The period is not answered from its node any more, if it was.
    void LeaveNode(uint32_t index);

    /// Something comes of a recorded period, now.
    void AddOutput(const Period& period, const PeriodOutput& output);

    /// Tells a node what came of its inputs up to a time. `outputs` may have others too. Requires:
    /// it lacks them.
    void Complete(uint32_t node, std::vector<PeriodOutput> outputs, int64_t until);

  private:
    void Enter(Period& period, uint32_t node);
    void Write(uint32_t node, const PeriodOutput& output);

    PeriodTrie& m_trie;
    PeriodMap& m_periods;
    RecordReader& m_reader;
};

} // namespace nadi
