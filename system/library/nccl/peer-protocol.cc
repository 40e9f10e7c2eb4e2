// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/peer-protocol.h"

#include "system/library/nccl/cost-terms.h"

#include <algorithm>
#include <cmath>

namespace nadi::nccl
{

namespace
{

/// us until a message is on its way: its kernel starts and makes a hop.
double
StartOfPeer(const CostContext& context, const char* hop)
{
    return context.values.Get("base-simple") + context.values.Get(hop);
}

} // namespace

PeerProtocol::PeerProtocol(const CostContext& context)
    : Protocol(Start::OnTerms)
    , m_values(context.values)
    , m_seats(context.seats)
    , m_payloadShare(context.payloadShare)
    , m_floor(FloorOf(context))
    , m_mostInside(LinkShare(context.values, KernelProtocol::Simple) *
                   context.values.Get("p2p-rate") * context.machine.PairLink())
    , m_inside{.start = StartOfPeer(context, "hop-simple"),
               .wire = context.hardware.insideLatency,
               .link = context.machine.PairLink()}
    // A ring step between nodes (net-hop-simple) is fitted to large rings, and is many times what a
    // peer adds to an exchange.
    , m_between{.start = StartOfPeer(context, "net-pair"),
                .wire = context.hardware.outsideLatency,
                // Where the way to the NIC is slower than the NIC, it paces the message.
                .link = InGigabytes(context.hardware.pathBandwidth)}
    , m_peerRate(std::min(context.values.Get("net-peer-rate"),
                          NicShare(context.values, KernelProtocol::Simple) * m_between.link))
{
}

double
PeerProtocol::InsideRate(double size) const
{
    return std::min(ChannelsRate(m_values, 1, ChannelsOfSend(size)), m_mostInside);
}

SendTerms
PeerProtocol::TermsFor(const LibraryMessage& message) const
{
    const auto size = static_cast<double>(message.size.Count());
    const bool isInside = m_seats.ShareNode(message.source, message.destination);
    const Way& way = isInside ? m_inside : m_between;
    const double rate = isInside ? InsideRate(size) : m_peerRate;
    const double kernel = way.start + size / (1e3 * rate);
    // What a launch takes beyond the kernel delays the message, as no later event of a send could.
    const double launch = OverLaunch(m_floor, kernel) - kernel;
    // As in CostedProtocol: measured rates are those of data, so the excess contains the headers of
    // frames, which the network adds itself.
    const double wire = way.link / rate * m_payloadShare;
    return {.delay = BeyondWire(way.start, way.wire) + FromUs(launch),
            .overhead = Bytes(std::llround(size * std::max(0.0, wire - 1)))};
}

} // namespace nadi::nccl
