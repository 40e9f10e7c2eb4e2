// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_RECEIVE_WINDOW_H
#define FABRIC_RECEIVE_WINDOW_H

#include "fabric-sequence-set.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/// \ingroup fabric
/// What the receiver does with a frame that comes before its turn.
enum class FabricReordering : uint8_t
{
    Discard, ///< go-back-N
    Keep,
};

/// \ingroup fabric
/// Which frames of a queue pair have arrived: numbers only.
///
/// Holds: each number is taken in once, as InOrder or (kept) as OutOfOrder, however often it comes;
/// the frames kept lie beyond GetExpected().
class FabricReceiveWindow
{
  public:
    /// What a frame was to the window when it arrived.
    enum class Outcome : uint8_t
    {
        InOrder,    ///< GetExpected() has moved on, past kept frames too
        OutOfOrder, ///< kept or discarded
        Duplicate,  ///< had arrived before
    };

    explicit FabricReceiveWindow(FabricReordering reordering);

    Outcome Accept(uint64_t sequence)
    {
        if (sequence != m_expected || m_kept)
        {
            return AcceptAnywhere(sequence);
        }
        ++m_expected;
        return Outcome::InOrder;
    }

    /// Frames that come before their turn are kept from now on.
    void Keep()
    {
        if (!m_kept)
        {
            m_kept = std::make_unique<FabricSequenceSet>();
        }
    }

    /// `count` frames have arrived in order. Requires: none is kept.
    void Skip(uint64_t count)
    {
        m_expected += count;
    }

    /// The first frame that has not arrived; all before it have.
    uint64_t GetExpected() const
    {
        return m_expected;
    }

    /// Frames that wait for an earlier one.
    uint64_t GetNKept() const
    {
        return m_kept ? m_kept->GetSize() : 0;
    }

  private:
    Outcome AcceptAnywhere(uint64_t sequence);

    uint64_t m_expected = 0;
    std::unique_ptr<FabricSequenceSet> m_kept; ///< null: discards
};

} // namespace ns3

#endif /* FABRIC_RECEIVE_WINDOW_H */
