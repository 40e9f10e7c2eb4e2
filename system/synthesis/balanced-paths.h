// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/synthesis/message-times.h"
#include "system/synthesis/route-model.h"
#include "system/synthesis/way-paths.h"

#include <cstdint>
#include <vector>

namespace nadi::synthesis
{

/// A chunk that goes from one rank to another.
struct Journey
{
    uint32_t from = 0;
    uint32_t to = 0;
    uint32_t chunk = 0;
    std::vector<uint32_t> ways; ///< one after the other
};

/// Paths of chunks, relayed by ranks, such that the busiest link is busy as shortly as possible.
///
/// Each chunk first takes the quickest path. Then, pass by pass, each is taken out and put on the
/// cheapest path, where a link costs the more the nearer its load is to the largest one:
/// exponentially, as in multiplicative-weights algorithms for concurrent flows. The best state that
/// was met counts.
class BalancedPaths
{
  public:
    /// Requires: all outlive it; `journeys` are without ways, of chunks of one size.
    BalancedPaths(const RouteModel& model,
                  const MessageTimes& times,
                  std::vector<Journey> journeys,
                  uint64_t seed);

    /// All on their quickest paths.
    const std::vector<Journey>& Quickest() const
    {
        return m_quickest;
    }

    /// After `passes`.
    std::vector<Journey> Balance(uint32_t passes);

    /// How often a pass looks at a way, about.
    uint64_t PassCost() const
    {
        return uint64_t{m_quickest.size()} * m_model.WayCount();
    }

  private:
    /// Bits of a price between an idle link and the busiest one. With the ratio, 2^18 links have a
    /// sum of costs below 2^64.
    static constexpr uint32_t PRICE_BITS = 36;
    /// Times of messages on a link are at most this many sixteenths of the shortest one in a price.
    static constexpr int64_t MOST_RATIO = 1024;

    /// Whether a chunk is put on its path, or taken away.
    enum class Change
    {
        Add,
        Remove,
    };

    void FindQuickest();
    void Load(const Journey& journey, Change change);
    void Reroute(Journey& journey);
    uint64_t PriceOf(int64_t load) const;
    uint64_t CostOf(uint32_t way) const;
    int64_t FindMostLoad() const;

    const RouteModel& m_model;
    const MessageTimes& m_times;
    uint64_t m_seed;
    int64_t m_shortest = 1; // time of a message on any link
    WayPaths m_search;
    std::vector<Journey> m_quickest;
    std::vector<int64_t> m_loads; // by link: picoseconds
    int64_t m_mostLoad = 1;       // when links were priced
};

} // namespace nadi::synthesis
