// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/synthesis/route-model.h"
#include "system/synthesis/transfer.h"

#include <cstdint>
#include <vector>

namespace nadi::synthesis
{

/// What becomes of a chunk at a rank that has sent it on.
enum class ChunkFlow
{
    Spread, ///< it stays there: a chunk is at many ranks
    Moved,  ///< it is elsewhere now: a chunk is at one rank at a time
};

/// For each message of a schedule the messages that must have come to its sender before: the one
/// that brought the chunk, or all that were added to it.
class TransferWaits
{
  public:
    static constexpr uint32_t NONE = UINT32_MAX;

    TransferWaits(const RouteModel& model,
                  const Schedule& schedule,
                  uint32_t chunks,
                  ChunkFlow flow);

    /// Calls `call` with the indices of those messages, the latest first.
    template <typename Call>
    void ForEach(uint32_t transfer, Call&& call) const
    {
        for (uint32_t wait = m_latest[transfer]; wait != NONE; wait = Before(wait))
        {
            call(wait);
        }
    }

  private:
    uint32_t Before(uint32_t wait) const
    {
        return m_before.empty() ? NONE : m_before[wait];
    }

    std::vector<uint32_t> m_latest; // by transfer: the last one that came before it
    std::vector<uint32_t> m_before; // by transfer that is added: the one added before; or empty
};

} // namespace nadi::synthesis
