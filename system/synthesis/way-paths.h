// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/synthesis/message-times.h"
#include "system/synthesis/route-model.h"

#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace nadi::synthesis
{

/// The cheapest paths from one rank to the others, over ways whose costs a function says.
class WayPaths
{
  public:
    static constexpr uint64_t UNREACHED = UINT64_MAX;

    explicit WayPaths(const RouteModel& model)
        : m_model(model)
    {
    }

    /// Dijkstra's algorithm, until `to` is reached, or (to == the number of ranks) all ranks are.
    /// `cost` of a way is positive; no path costs 2^64 or more. Of paths of one cost it takes that
    /// whose last way has the lower number.
    template <typename Cost>
    void Search(uint32_t from, uint32_t to, const Cost& cost)
    {
        m_distances.assign(m_model.RankCount(), UNREACHED);
        m_lastWays.assign(m_model.RankCount(), UINT32_MAX);
        using Entry = std::pair<uint64_t, uint32_t>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
        m_distances[from] = 0;
        queue.emplace(0, from);
        while (!queue.empty())
        {
            const auto [distance, rank] = queue.top();
            queue.pop();
            if (rank == to)
            {
                return;
            }
            if (distance != m_distances[rank])
            {
                continue;
            }
            for (const uint32_t way : m_model.WaysFrom(rank))
            {
                const uint32_t next = m_model.At(way).to;
                const uint64_t through = distance + cost(way);
                if (std::tie(through, way) < std::tie(m_distances[next], m_lastWays[next]))
                {
                    if (through < m_distances[next])
                    {
                        queue.emplace(through, next);
                    }
                    m_distances[next] = through;
                    m_lastWays[next] = way;
                }
            }
        }
    }

    uint64_t DistanceOf(uint32_t rank) const
    {
        return m_distances[rank];
    }

    /// The ways of the path to a rank that was reached.
    std::vector<uint32_t> PathTo(uint32_t rank) const
    {
        std::vector<uint32_t> path;
        for (uint32_t way = m_lastWays[rank]; way != UINT32_MAX;
             way = m_lastWays[m_model.At(way).from])
        {
            path.insert(path.begin(), way);
        }
        return path;
    }

  private:
    const RouteModel& m_model;
    std::vector<uint64_t> m_distances;
    std::vector<uint32_t> m_lastWays;
};

/// How long a message takes from one rank to each other one, relayed by ranks, in picoseconds.
inline std::vector<int64_t>
FindWayDistances(const RouteModel& model, const MessageTimes& times, uint32_t from)
{
    WayPaths paths(model);
    paths.Search(from,
                 model.RankCount(),
                 [&](uint32_t way) { return static_cast<uint64_t>(times.ToUse(way)); });
    std::vector<int64_t> distances;
    for (uint32_t rank = 0; rank < model.RankCount(); ++rank)
    {
        distances.push_back(static_cast<int64_t>(paths.DistanceOf(rank)));
    }
    return distances;
}

} // namespace nadi::synthesis
