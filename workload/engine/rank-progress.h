// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "workload/engine/start-times.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// By how many others each node of a graph is blocked, before anything has run. Ranks that share a
/// graph begin with copies of it.
struct InitialProgress
{
    /// By node: how many, or RankProgress::MANY.
    std::vector<uint8_t> blockers;
    /// Of the nodes that have MANY: how many.
    std::unordered_map<uint32_t, uint32_t> many;
    /// Nodes that nothing blocks, ascending.
    std::vector<uint32_t> ready;
};

/// How far the nodes of one rank have come, in one byte each: blocked by so many others, ready
/// (blocked by none), issued, or done. Nodes that are under way keep their start besides.
///
/// This is the only memory that grows with ranks x nodes, so a count that needs more than a byte is
/// kept apart: a node with 300 parents has the state MANY and 300 in m_many, until 252 are left.
class RankProgress
{
  public:
    /// Blocked by at least so many.
    static constexpr uint8_t MANY = 253;

    explicit RankProgress(const InitialProgress& initial)
        : m_states(initial.blockers)
        , m_many(initial.many)
    {
    }

    /// One thing that blocked the node is done. Returns whether it was the last.
    /// Requires: the node is blocked.
    bool Unblock(uint32_t node)
    {
        return m_states[node] == MANY ? UnblockMany(node) : --m_states[node] == 0;
    }

    bool IsIssued(uint32_t node) const
    {
        return node < m_states.size() && m_states[node] == ISSUED;
    }

    /// Requires: the node is ready.
    void Issue(uint32_t node, SimTime now)
    {
        m_states[node] = ISSUED;
        m_starts.Add(node, now);
    }

    /// The node is done; when it was issued. Requires: IsIssued(node).
    SimTime Finish(uint32_t node)
    {
        m_states[node] = DONE;
        return m_starts.Take(node);
    }

    /// A node that takes no time is done without having been issued. Requires: it is ready.
    void FinishUntimed(uint32_t node)
    {
        m_states[node] = DONE;
    }

    /// The first node in the file that is not done.
    std::optional<uint32_t> FindFirstUnfinished() const;

  private:
    static constexpr uint8_t ISSUED = 254;
    static constexpr uint8_t DONE = 255;

    bool UnblockMany(uint32_t node);

    std::vector<uint8_t> m_states; // by node
    std::unordered_map<uint32_t, uint32_t> m_many;
    StartTimes m_starts;
};

} // namespace nadi
