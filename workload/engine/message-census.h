// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "workload/engine/stuck-job.h"

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// From whom to whom messages go.
struct RankPair
{
    RankId source;
    RankId destination;

    auto operator<=>(const RankPair&) const = default;
};

/// Counts, from the traces, the sends and receives on the routes on which a receive of a stuck job
/// waits for a send.
class MessageCensus
{
  public:
    explicit MessageCensus(const StuckJob& job);

    uint64_t CountSends(RankPair route, uint64_t tag) const;
    uint64_t CountReceives(RankPair route, uint64_t tag) const;

    /// Whether the destination receives the tag more often than the source sends it.
    bool LacksSends(RankPair route, uint64_t tag) const;

    /// Tags that the source sends more often than the destination receives them, ascending.
    std::vector<uint64_t> FindTagsSentInVain(RankPair route) const;

  private:
    struct Count
    {
        uint64_t sends = 0;
        uint64_t receives = 0;
    };

    void CountNodes(const Workload& workload, RankId rank);
    Count Find(RankPair route, uint64_t tag) const;

    std::map<RankPair, std::map<uint64_t, Count>> m_counts; // route -> tag -> count
};

} // namespace nadi
