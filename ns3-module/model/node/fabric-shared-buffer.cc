// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-shared-buffer.h"

#include "ns3/abort.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

/// What the pool cannot use: all headrooms, and for each ingress one full frame by which the pool
/// may exceed its size (see the class comment). More than 2^63 bytes count as so many.
uint64_t
ComputeReserve(const FabricBufferSettings& settings)
{
    __extension__ typedef unsigned __int128 Wide;
    const Wide headroom =
        std::accumulate(settings.headroom.begin(), settings.headroom.end(), Wide{0});
    const Wide reserve =
        settings.priorities * (headroom + Wide{settings.headroom.size()} * settings.fullFrame);
    return static_cast<uint64_t>(std::min(reserve, Wide{1} << 63));
}

} // namespace

FabricSharedBuffer::FabricSharedBuffer(const FabricBufferSettings& settings)
    : m_isLossless(settings.isLossless)
    , m_alpha(settings.alpha)
    , m_egressAlpha(settings.egressAlpha)
    , m_size(settings.size)
    , m_pool(settings.size - (m_isLossless ? ComputeReserve(settings) : 0))
    , m_resumeOffset(settings.resumeOffset)
    , m_fullFrame(settings.fullFrame)
    , m_priorities(settings.priorities)
{
    // Written so that NaN is refused too: every comparison with it is false.
    NS_ABORT_MSG_IF(!(m_alpha >= 0 && m_egressAlpha >= 0), "a share of the buffer below 0");
    NS_ABORT_MSG_IF(m_isLossless && m_size < ComputeLeastSize(settings),
                    "a lossless buffer of " << m_size << " bytes has no pool");
    for (const uint64_t headroom : settings.headroom)
    {
        Account account;
        account.headroom = headroom;
        m_accounts.insert(m_accounts.end(), m_priorities, account);
    }
    // Room for every account, so that these lists never grow during the run.
    m_holders.reserve(m_accounts.size());
    m_arrived.reserve(m_accounts.size());
    m_paused.reserve(m_accounts.size());
    m_newlyPaused.reserve(m_accounts.size());
    m_newlyResumed.reserve(m_accounts.size());
}

/// The pool must hold at least a full frame.
uint64_t
FabricSharedBuffer::ComputeLeastSize(const FabricBufferSettings& settings)
{
    return settings.fullFrame + (settings.isLossless ? ComputeReserve(settings) : 0);
}

uint64_t
FabricSharedBuffer::ComputeCalmBytes() const
{
    // By bisection: what is calm with `middle` bytes is calm with fewer (IsCalmWith).
    uint64_t least = 0;
    uint64_t most = m_size;
    while (least < most)
    {
        const uint64_t middle = most - (most - least) / 2;
        if (IsCalmWith(middle))
        {
            least = middle;
        }
        else
        {
            most = middle - 1;
        }
    }
    return least;
}

/// Thresholds fall with what is stored, so what holds for `stored` bytes holds for fewer. At worst
/// one ingress, or one egress, has all of them.
bool
FabricSharedBuffer::IsCalmWith(uint64_t stored) const
{
    return m_isLossless ? stored < ComputeThreshold(stored)
                        : stored < Scale(m_egressAlpha, m_size - stored);
}

uint64_t
FabricSharedBuffer::Scale(double factor, uint64_t bytes)
{
    // The conversion of a larger number to an integer would be undefined, and no buffer is larger.
    constexpr double TOO_LARGE = 1e18;
    const double scaled = factor * static_cast<double>(bytes);
    return scaled < TOO_LARGE ? static_cast<uint64_t>(scaled) : static_cast<uint64_t>(TOO_LARGE);
}

FabricIngress
FabricSharedBuffer::MakeIngress(uint32_t index) const
{
    FabricIngress ingress;
    ingress.port = static_cast<uint32_t>(index / m_priorities);
    ingress.priority = static_cast<FabricPriority>(FABRIC_DATA_PRIORITY + index % m_priorities);
    return ingress;
}

bool
FabricSharedBuffer::Store(const FabricIngress& ingress, uint32_t bytes, uint64_t egressBytes)
{
    const auto index = static_cast<uint32_t>(IndexOf(ingress));
    Account& account = m_accounts[index];
    if (!Fits(account, bytes, egressBytes))
    {
        return false;
    }
    // Only what joins the pool can make its ingress pause, so only this is noted in m_arrived.
    if (account.isPaused)
    {
        account.inHeadroom += bytes;
    }
    else
    {
        account.pooled += bytes;
        m_pooled += bytes;
        m_arrived.push_back(index);
    }
    if (!account.isListed)
    {
        account.isListed = true;
        m_holders.push_back(index);
    }
    m_stored += bytes;
    m_mostStored = std::max(m_mostStored, m_stored);
    m_mostHeld = std::max(m_mostHeld, account.GetHeld());
    NS_ABORT_MSG_IF(m_stored > m_size, "the shared buffer holds more than its size");
    return true;
}

bool
FabricSharedBuffer::Fits(const Account& account, uint32_t bytes, uint64_t egressBytes) const
{
    if (m_isLossless)
    {
        return !account.isPaused || account.inHeadroom + bytes <= account.headroom;
    }
    // An egress with nothing in store is served whatever its share is. Otherwise other egresses
    // that have filled most of the memory would shut it out.
    return m_stored + bytes <= m_size &&
           (egressBytes == 0 || egressBytes < Scale(m_egressAlpha, m_size - m_stored));
}

void
FabricSharedBuffer::Release(const FabricIngress& ingress, uint32_t bytes)
{
    Account& account = m_accounts[IndexOf(ingress)];
    NS_ABORT_MSG_IF(bytes > account.GetHeld(), "more bytes leave a buffer than came");
    // Frames are not told apart: what leaves empties the headroom first, so that a resume is not
    // held up by the order in which frames leave.
    const uint64_t fromHeadroom = std::min<uint64_t>(bytes, account.inHeadroom);
    const uint64_t fromPool = bytes - fromHeadroom;
    account.inHeadroom -= fromHeadroom;
    account.pooled -= fromPool;
    m_pooled -= fromPool;
    m_stored -= bytes;
}

const std::vector<FabricIngress>&
FabricSharedBuffer::TakePauses()
{
    m_newlyPaused.clear();
    if (!m_isLossless)
    {
        return m_newlyPaused;
    }
    const uint64_t threshold = ComputeThreshold(m_pooled);
    // One threshold for the whole instant, and the order of identities: the result must not depend
    // on the order in which the frames were stored.
    std::sort(m_arrived.begin(), m_arrived.end());
    for (const uint32_t index : m_arrived)
    {
        if (m_accounts[index].GetHeld() >= threshold)
        {
            Pause(index);
        }
    }
    m_arrived.clear();
    // m_mostHeld only grows while frames come, and in the end IsSurelyCalm would never hold again.
    // So it is computed anew when the next instant, with a full frame by each port, might otherwise
    // not be calm.
    const uint64_t nextInstant = m_accounts.size() / m_priorities * m_fullFrame;
    if (!IsPausing() && !IsBelowThreshold(nextInstant))
    {
        FindMostHeld();
    }
    return m_newlyPaused;
}

void
FabricSharedBuffer::Pause(uint32_t index)
{
    Account& account = m_accounts[index];
    NS_ABORT_MSG_IF(account.isPaused, "two frames came by one ingress in one instant");
    account.isPaused = true;
    // m_paused stays sorted, so that resumes are sent in the order of identities.
    m_paused.insert(std::lower_bound(m_paused.begin(), m_paused.end(), index), index);
    m_newlyPaused.push_back(MakeIngress(index));
}

const std::vector<FabricIngress>&
FabricSharedBuffer::TakeResumes()
{
    m_newlyResumed.clear();
    if (!IsPausing())
    {
        return m_newlyResumed;
    }
    const uint64_t threshold = ComputeThreshold(m_pooled);
    // One threshold for all, as in TakePauses: a resume frees no memory, so the order of resumes
    // does not matter.
    auto stillPaused = m_paused.begin();
    for (const uint32_t index : m_paused)
    {
        if (!MayResume(m_accounts[index], threshold))
        {
            *stillPaused++ = index;
            continue;
        }
        m_accounts[index].isPaused = false;
        m_newlyResumed.push_back(MakeIngress(index));
    }
    m_paused.erase(stillPaused, m_paused.end());
    if (!IsPausing())
    {
        FindMostHeld();
    }
    return m_newlyResumed;
}

bool
FabricSharedBuffer::MayResume(const Account& account, uint64_t threshold) const
{
    const uint64_t held = account.GetHeld();
    return account.inHeadroom == 0 &&
           (held == 0 || (held < threshold && threshold - held >= m_resumeOffset));
}

/// Makes m_mostHeld exact. Between two calls it is an upper bound: Store raises it, Release leaves
/// it.
void
FabricSharedBuffer::FindMostHeld()
{
    m_mostHeld = 0;
    m_looks += m_holders.size();
    const auto isThrough = [this](uint32_t index)
    {
        Account& account = m_accounts[index];
        m_mostHeld = std::max(m_mostHeld, account.GetHeld());
        account.isListed = account.GetHeld() > 0;
        return !account.isListed;
    };
    m_holders.erase(std::remove_if(m_holders.begin(), m_holders.end(), isThrough), m_holders.end());
}

} // namespace ns3
