// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SHARED_BUFFER_H
#define FABRIC_SHARED_BUFFER_H

#include "ns3/fabric-frame.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// How the memory of a node is shared.
struct FabricBufferSettings
{
    uint64_t size = 0;            ///< bytes in all; > 0
    bool isLossless = false;      ///< pauses the sender instead of dropping
    double alpha = 0.125;         ///< an ingress may hold this share of what is free (lossless)
    double egressAlpha = 1;       ///< an egress may hold this multiple of what is free (lossy)
    uint64_t resumeOffset = 3000; ///< bytes below its threshold at which an ingress is resumed
    uint32_t fullFrame = 0;       ///< most wire bytes of a data frame
    uint32_t priorities = 1;      ///< data priorities in use, from 1
    /// Bytes of each ingress port, for each of its priorities; where lossy, only the number of
    /// ports counts.
    std::vector<uint64_t> headroom;
};

/// \ingroup fabric
/// A priority of an ingress port: what is counted, paused and resumed.
struct FabricIngress
{
    uint32_t port = 0;
    FabricPriority priority = FABRIC_DATA_PRIORITY;
};

/// \ingroup fabric
/// The memory of a node that its ports share: who may store a frame, who is paused. Pure counting:
/// knows no ports and no time. A data frame is stored from its arrival to the end of its
/// transmission; control frames are not counted.
///
/// Lossless: with P ports, Q priorities and full frames of M bytes, the pool is
/// S = size - sum over ports of Q headroom - P Q M. A frame joins the pool while its ingress is not
/// paused; otherwise it goes into the headroom of its ingress, and is dropped where that is full.
/// When the arrivals of an instant are complete, each ingress that one of them came by is paused if
/// it holds at least the threshold T = alpha (S - pooled), rounded down, 0 where more than S is
/// pooled. A paused ingress is resumed when its headroom is empty and it holds nothing, or less
/// than T and at most T - resumeOffset. Releases empty the headroom first.
///
/// Requires: a port delivers at most one frame in an instant, of at most M bytes.
///
/// Why all that is stored never exceeds `size`: the headrooms are bounded each by its own size, so
/// it is enough that the pool holds less than S + P Q M. Look at the last instant that began with
/// less than S in the pool. Since then an ingress that joins a frame is paused at once, as T is 0,
/// and is resumed only when it holds nothing. So of what joined in that instant or later, no
/// ingress holds more than one frame.
///
/// Why a headroom of 2 latency x rate + 2 M + Q pause frames is enough: the arrival of an own frame
/// makes an ingress pause, and that frame lies in the pool. So the headroom takes only frames that
/// start on the link at most one latency before the decision, and before the pause is heard. That
/// is one latency after the pause frame ends, which waits on its own wire for the rest of one frame
/// and for a pause frame of each other priority at most. (That frame may be a control frame, where
/// these are longer than M.) In all this fills latency x rate + M + Q
/// pause frames + latency x rate of the link, and the last frame, M, starts just before the end.
/// (Would others' arrivals make an ingress pause, its next frame could be half through: M more.)
///
/// Example (lossless): 4 ports, 1 priority, M = 1000 B, a headroom of 3000 B each and a size of 32
/// 000 B give a pool of S = 32 000 - 12 000 - 4000 = 16 000 B. With alpha = 1/8 and an empty pool,
/// T is 2000 B. Two frames of one ingress make the pool hold 2000 B, so T falls to (16 000 - 2000)
/// / 8 = 1750 B, and the ingress, which holds 2000 B, is paused. Frames that are still on the way
/// go into its headroom.
///
/// Lossy: a frame is stored while the bytes stored plus its own fit `size` and its egress holds
/// fewer than egressAlpha (size - stored) bytes, rounded down, or nothing.
class FabricSharedBuffer
{
  public:
    /// Requires: lossless settings with at least ComputeLeastSize() bytes.
    explicit FabricSharedBuffer(const FabricBufferSettings& settings);

    /// The smallest size with a pool of at least one full frame.
    static uint64_t ComputeLeastSize(const FabricBufferSettings& settings);

    /// Whether `arriving` more bytes can be stored without any pause or drop, and without a new
    /// GetMostStoredBytes(), even if nothing was released since the counts were brought up to date.
    /// False says nothing.
    /// `egressBytes`: most bytes that any egress of the arriving frames holds, at the latest
    /// reading (lossy only).
    bool IsSurelyCalm(uint64_t arriving, uint64_t egressBytes) const
    {
        const uint64_t stored = m_stored + arriving;
        if (stored > m_mostStored)
        {
            return false;
        }
        return m_isLossless ? !IsPausing() && IsBelowThreshold(arriving)
                            : egressBytes + arriving < Scale(m_egressAlpha, m_size - stored);
    }

    /// The most bytes such that nobody is paused and nothing is dropped while no more are stored,
    /// whoever stores them.
    uint64_t ComputeCalmBytes() const;

    /// The arrivals of an instant begin. Requires: releases are up to date, or IsSurelyCalm.
    void BeginArrivals()
    {
        m_arrived.clear();
    }

    /// \return Whether the frame is stored; otherwise it is dropped. `egressBytes`: bytes that its
    /// egress holds before it (lossy only).
    bool Store(const FabricIngress& ingress, uint32_t bytes, uint64_t egressBytes);

    /// A frame that was stored has left.
    void Release(const FabricIngress& ingress, uint32_t bytes);

    /// The arrivals of an instant are complete, releases are up to date: who is paused now and was
    /// not, in order of (port, priority); they count as paused from then on. Empty where lossy.
    /// May be left out where IsSurelyCalm held for what has arrived. Valid until the next call.
    const std::vector<FabricIngress>& TakePauses();

    /// Likewise who is resumed: in any instant, after its arrivals and TakePauses if it has any.
    const std::vector<FabricIngress>& TakeResumes();

    uint64_t GetSize() const
    {
        return m_size;
    }

    /// Some ingress is paused.
    bool IsPausing() const
    {
        return !m_paused.empty();
    }

    bool IsPaused(const FabricIngress& ingress) const
    {
        return m_accounts[IndexOf(ingress)].isPaused;
    }

    /// Stored, headroom included.
    uint64_t GetBytes(const FabricIngress& ingress) const
    {
        return m_accounts[IndexOf(ingress)].GetHeld();
    }

    /// In all, headroom included.
    uint64_t GetStoredBytes() const
    {
        return m_stored;
    }

    /// The most so far.
    uint64_t GetMostStoredBytes() const
    {
        return m_mostStored;
    }

    /// How many accounts were looked at in search of the one that holds most.
    uint64_t GetNLooks() const
    {
        return m_looks;
    }

  private:
    /// What one ingress, a port and a priority, has stored.
    struct Account
    {
        uint64_t pooled = 0;
        uint64_t inHeadroom = 0;
        uint64_t headroom = 0; ///< most bytes in it
        bool isPaused = false;
        bool isListed = false; ///< in m_holders

        uint64_t GetHeld() const
        {
            return pooled + inHeadroom;
        }
    };

    /// floor(factor x bytes); never less for more bytes.
    static uint64_t Scale(double factor, uint64_t bytes);

    std::size_t IndexOf(const FabricIngress& ingress) const
    {
        return std::size_t{ingress.port} * m_priorities + ingress.priority - FABRIC_DATA_PRIORITY;
    }

    FabricIngress MakeIngress(uint32_t index) const;

    /// T, if `pooled` bytes are in the pool.
    uint64_t ComputeThreshold(uint64_t pooled) const
    {
        return pooled < m_pool ? Scale(m_alpha, m_pool - pooled) : 0;
    }

    /// Whether every ingress stays below T, whoever receives `arriving` more bytes.
    bool IsBelowThreshold(uint64_t arriving) const
    {
        return m_mostHeld + arriving < ComputeThreshold(m_pooled + arriving);
    }

    bool IsCalmWith(uint64_t stored) const;
    bool Fits(const Account& account, uint32_t bytes, uint64_t egressBytes) const;
    void Pause(uint32_t index);
    bool MayResume(const Account& account, uint64_t threshold) const;
    void FindMostHeld();

    bool m_isLossless;
    double m_alpha;
    double m_egressAlpha;
    uint64_t m_size;
    uint64_t m_pool; ///< S
    uint64_t m_resumeOffset;
    uint32_t m_fullFrame;
    uint32_t m_priorities;
    std::vector<Account> m_accounts; ///< by port, then priority

    uint64_t m_pooled = 0;
    uint64_t m_stored = 0;
    uint64_t m_mostStored = 0;
    uint64_t m_mostHeld = 0; ///< no ingress holds more; an ingress that was released may hold less
    uint64_t m_looks = 0;
    std::vector<uint32_t> m_holders; ///< ingresses that hold something, and others
    std::vector<uint32_t> m_arrived; ///< ingresses that received a frame in this instant
    std::vector<uint32_t> m_paused;  ///< in order
    std::vector<FabricIngress> m_newlyPaused;
    std::vector<FabricIngress> m_newlyResumed;
};

} // namespace ns3

#endif /* FABRIC_SHARED_BUFFER_H */
