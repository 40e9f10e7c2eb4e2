// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PROMISE_THRIFT_H
#define FABRIC_PROMISE_THRIFT_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// Whether promises of a port are worth their cost.
///
/// A promise costs a call to the next port, and another one to take it back, along the path of the
/// flow. It saves one event for each frame that starts under it. Where many ports send to many,
/// promises may be taken back before they have saved anything. So whenever promises are taken back,
/// those made since the last time are judged. If less than COST frames of each started under them,
/// the port makes no promise for a number of heads (frames that could have begun a train). This
/// number doubles each time, and halves each time when they were worth it. It depends on the
/// simulation alone, so that equal runs have equal trains.
///
/// Example: three promises were made, 2, 0 and 1 of their frames have started, and all are taken
/// back. 3 frames are less than 3 x 2, so the next head begins no train. If the promise of the head
/// after it is taken back after one frame, the next two heads begin none.
class FabricPromiseThrift
{
  public:
    /// Frames that must start under a promise to make it worth its cost.
    static constexpr uint64_t COST = 2;

    /// For fewer frames than this, no train is begun.
    static constexpr uint64_t LEAST_TRAIN = 4;

    /// And no train has more. Frames that start under a promise are committed within one event, and
    /// between events a run can be interrupted.
    static constexpr uint64_t MOST_TRAIN = uint64_t{1} << 20;

    /// Most heads in a row that begin no train.
    static constexpr uint32_t MOST_SKIPPED = 4096;

    /// A head has come. \return Whether a promise may be made about the frames that follow.
    bool MayPromise()
    {
        if (m_toSkip == 0)
        {
            return true;
        }
        --m_toSkip;
        return false;
    }

    void CountPromise()
    {
        ++m_promises;
    }

    /// `count` frames started that were promised.
    void CountKept(uint64_t count)
    {
        m_kept += count;
    }

    /// All promises that are left were taken back.
    void Judge()
    {
        if (m_kept < m_promises * COST)
        {
            m_toSkip = m_next;
            m_next = std::min(2 * m_next, MOST_SKIPPED);
        }
        else
        {
            m_next = std::max<uint32_t>(m_next / 2, 1);
        }
        m_promises = 0;
        m_kept = 0;
    }

  private:
    uint64_t m_promises = 0; ///< since they were judged last
    uint64_t m_kept = 0;
    uint32_t m_toSkip = 0;
    uint32_t m_next = 1; ///< heads to skip when promises prove too short again
};

} // namespace ns3

#endif /* FABRIC_PROMISE_THRIFT_H */
