// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace nadi
{

/// A resource of a rank that runs one node at a time: the CPU, or the compute engine. Waiting
/// nodes are known by their turn, made of the episode and the position in it (IssuePlan); the
/// smallest goes first.
class SerialEngine
{
  public:
    void Enqueue(uint64_t turn)
    {
        m_waiting.push(turn);
    }

    /// The node to run now, if the engine is free and one waits; it is busy until Release().
    std::optional<uint64_t> TakeNext()
    {
        if (m_isBusy || m_waiting.empty())
        {
            return std::nullopt;
        }
        const uint64_t turn = m_waiting.top();
        m_waiting.pop();
        m_isBusy = true;
        return turn;
    }

    void Release()
    {
        m_isBusy = false;
    }

  private:
    bool m_isBusy = false;
    std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> m_waiting;
};

} // namespace nadi
