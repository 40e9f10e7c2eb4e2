// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_LOSSY_EXCHANGE_H
#define FABRIC_LOSSY_EXCHANGE_H

#include "fabric-test-random.h"

#include "ns3/fabric-receive-window.h"
#include "ns3/fabric-send-window.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// What happens to frames on their ways, which keep order and delay each at random.
struct FabricLossyWays
{
    uint64_t dataLossPercent = 0;
    uint64_t answerLossPercent = 0;
    uint64_t hastyTimeoutPercent = 0; ///< of the steps; otherwise only when nothing else can happen
};

/// \ingroup fabric
/// A sender and a receiver of one queue pair, as their windows alone see it: each data frame is
/// answered, with a gap report if it comes before its turn.
class FabricLossyExchange
{
  public:
    FabricLossyExchange(FabricLossRecovery recovery, const FabricLossyWays& ways, uint64_t seed);

    /// Posts `frames` in portions, until all are acknowledged or something is wrong.
    void Run(uint64_t frames);

    /// What was wrong; empty if nothing.
    const std::string& GetFault() const
    {
        return m_fault;
    }

    const FabricSendWindow& GetWindow() const
    {
        return m_sender;
    }

    uint64_t GetNSent() const
    {
        return m_sent;
    }

    /// Data frames lost.
    uint64_t GetNLost() const
    {
        return m_lost;
    }

  private:
    static constexpr uint64_t WINDOW = 24; ///< most unacknowledged frames

    struct UnderWay
    {
        uint64_t arrival;
        uint64_t sequence;
        uint64_t arrived; ///< answers: the frame beyond the gap; NONE: no gap
    };

    using Way = std::deque<UnderWay>;

    static constexpr uint64_t NONE = UINT64_MAX;

    bool IsFinished() const;
    void Step();
    void PostSome();
    bool CanSend() const;
    void Send();
    void Put(Way& way, uint64_t sequence, uint64_t arrived);
    void Receive(uint64_t sequence);
    void Answer(const UnderWay& answer);
    void Check();
    void Expect(bool holds, const char* what);

    FabricTestRandom m_random;
    FabricLossyWays m_ways;
    FabricReordering m_reordering;
    FabricSendWindow m_sender;
    FabricReceiveWindow m_receiver;
    uint64_t m_unposted = 0;
    std::vector<uint32_t> m_taken; ///< how often the receiver took in each frame
    uint64_t m_now = 0;
    Way m_data;
    Way m_answers;
    uint64_t m_sent = 0;
    uint64_t m_lost = 0;
    std::string m_fault;
};

} // namespace ns3

#endif /* FABRIC_LOSSY_EXCHANGE_H */
