// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/peer-protocol.h"

#include "system/library/nccl/cost-terms.h"

#include <algorithm>
#include <cmath>

namespace nadi::nccl
{

namespace
{

/// How long it takes until a message is on its way: its kernel starts and makes a hop, less the
/// wire, which the network adds.
SimTime
StartOfPeer(const CostContext& context, const char* hop, SimTime wire)
{
    return BeyondWire(context.values.Get("base-simple") + context.values.Get(hop), wire);
}

} // namespace

PeerProtocol::PeerProtocol(const CostContext& context)
    : Protocol(Start::OnTerms)
    , m_seats(context.seats)
    , m_insideDelay(StartOfPeer(context, "hop-simple", context.hardware.insideLatency))
    , m_betweenDelay(StartOfPeer(context, "net-hop-simple", context.hardware.outsideLatency))
    , m_payloadShare(context.payloadShare)
    , m_link(context.machine.PairLink())
    , m_mostInside(LinkShare(context.values, KernelProtocol::Simple) *
                   context.values.Get("p2p-rate") * context.machine.PairLink())
    , m_channelRate(context.values.Get("p2p-channel"))
    , m_nic(InGigabytes(context.hardware.nicBandwidth))
    , m_peerRate(std::min(context.values.Get("net-peer-rate"),
                          NicShare(context.values, KernelProtocol::Simple) * m_nic))
{
}

double
PeerProtocol::InsideRate(double size) const
{
    constexpr double fewest = 8;
    constexpr double fullChannel = 16.0 * 1024 * 1024;
    const double doublings =
        std::clamp(std::ceil(std::log2(size / (fewest * fullChannel))), 0.0, 2.0);
    return std::min(fewest * std::exp2(doublings) * m_channelRate, m_mostInside);
}

SendTerms
PeerProtocol::TermsFor(const LibraryMessage& message) const
{
    // The size counts as at least one byte, since InsideRate takes its logarithm.
    const auto size = static_cast<double>(std::max<int64_t>(message.size.Count(), 1));
    const bool isInside = m_seats.ShareNode(message.source, message.destination);
    const double excess = isInside ? m_link / InsideRate(size) - 1 : m_nic / m_peerRate - 1;
    // As in CostedProtocol: measured rates are those of data, so the excess contains the headers of
    // frames, which the network adds itself.
    return {.delay = isInside ? m_insideDelay : m_betweenDelay,
            .overhead =
                Bytes(std::llround(size * std::max(0.0, (1 + excess) * m_payloadShare - 1)))};
}

} // namespace nadi::nccl
