// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/time-estimate.h"

#include "system/library/nccl/channels.h"
#include "system/library/nccl/estimate-tables.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nadi::nccl
{

namespace
{

/// The library counts 20 of the 25 GB/s of an NVLink.
constexpr double NODE_SHARE = 0.8;
/// Of a NIC's rate it takes the next lower entry of its list of rates.
constexpr double NIC_SHARE = 0.96;

size_t
PlaceOf(KernelProtocol protocol)
{
    return static_cast<size_t>(protocol);
}

} // namespace

TimeEstimate::TimeEstimate(const Machine& machine, CollectiveType type)
    : m_machine(machine)
    , m_type(type)
    , m_family(FamilyOf(machine.release))
    , m_channels(MostChannels(machine))
    , m_bus(machine.nodes == 1 ? NODE_SHARE * machine.link : NIC_SHARE * machine.nic)
{
    if (machine.nodes == 1 && machine.generation == Generation::A100 &&
        machine.release < Release{2, 17})
    {
        // Up to 2.16 the library caps the 240 GB/s of an A100 node at this.
        m_bus = 235.0;
    }
}

double
TimeEstimate::Of(KernelAlgorithm algorithm, KernelProtocol protocol, double size) const
{
    const auto line = [&]
    {
        switch (algorithm)
        {
        case KernelAlgorithm::Ring:
            return Ring(protocol, size);
        case KernelAlgorithm::Tree:
            return Tree(protocol, size);
        case KernelAlgorithm::Nvls:
            return Nvls();
        default:
            return NvlsTree();
        }
    }();
    // The time is in us, in which 1 GB/s moves 1e3 bytes.
    return line.latency + size / (1e3 * line.rate);
}

uint32_t
TimeEstimate::Steps() const
{
    switch (m_type)
    {
    case CollectiveType::AllReduce:
        return 2 * (m_machine.ranks - 1);
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
        // Every byte passes each wire of a chain once. With so many steps RingRate is the rate of
        // the wires.
        return m_machine.ranks;
    default:
        return m_machine.ranks - 1;
    }
}

/// Of a binary tree of the nodes.
uint32_t
TimeEstimate::Levels() const
{
    return static_cast<uint32_t>(std::bit_width(m_machine.nodes)) - 1;
}

double
TimeEstimate::MostOfLL() const
{
    if (m_machine.nodes == 1)
    {
        return MostOfLLInNode(m_machine.generation, m_machine.release);
    }
    const bool isPair = m_machine.nodes == 2;
    return m_machine.isAmdProcessor ? (isPair ? 22.5 : 19.0) : (isPair ? 39.0 : 20.4);
}

/// Of a ring's rate, as LL sends a flag with each 4 bytes.
double
TimeEstimate::RingShareOfLL() const
{
    if (m_machine.release >= Release{2, 20})
    {
        return 1.0 / 2;
    }
    const bool isReduced = m_type == CollectiveType::AllReduce || m_type == CollectiveType::Reduce;
    return m_machine.nodes == 1 && !isReduced ? 1.0 / 3 : 1.0 / 4;
}

double
TimeEstimate::RingRate(KernelProtocol protocol) const
{
    double rate = m_bus;
    if (protocol == KernelProtocol::LL)
    {
        rate = std::min(MostOfLL(), m_bus * RingShareOfLL());
    }
    else if (protocol == KernelProtocol::LL128)
    {
        const bool isAlone = m_machine.Local() == 1 && m_machine.release < Release{2, 23};
        rate = std::min(m_bus * (isAlone ? 0.7 : 0.92),
                        m_channels * LL128OfChannel(m_machine.generation));
    }
    // `rate` is that of the wires (bus bandwidth). A call of S bytes puts S x steps / ranks on each
    // wire, so the result is the rate in bytes of the call.
    return rate * m_machine.ranks / Steps();
}

TimeEstimate::Hops
TimeEstimate::RingHops(KernelProtocol protocol) const
{
    const size_t p = PlaceOf(protocol);
    Hops hops{.inside = m_family.ringLink[p], .between = m_family.ringNet[p]};
    if (m_machine.nodes == 1)
    {
        return hops;
    }
    const bool isSimple = protocol == KernelProtocol::Simple;
    if (m_machine.release >= Release{2, 17})
    {
        // the host posts the messages of the network
        const double post = (m_machine.isAmdProcessor ? 2.0 : 1.0) * (isSimple ? 3 : 1);
        hops.inside = std::max(hops.inside, post);
        if (m_machine.Local() == 1 && m_machine.release >= Release{2, 23})
        {
            hops.between = m_family.treeNet[p];
        }
    }
    else if (protocol == KernelProtocol::LL)
    {
        hops.inside *= 1.8;
    }
    hops.between += m_machine.pluginLatency * (isSimple ? 2 : 1);
    return hops;
}

/// Steps of a ring that the library takes for steps between nodes.
uint32_t
TimeEstimate::CrossingSteps() const
{
    if (m_machine.nodes == 1)
    {
        return 0;
    }
    if (m_type != CollectiveType::AllReduce)
    {
        return m_machine.nodes - 1;
    }
    const bool isOneMore =
        m_machine.release >= Release{2, 12} && m_machine.release < Release{2, 23};
    return 2 * (isOneMore ? m_machine.nodes : m_machine.nodes - 1);
}

TimeEstimate::Line
TimeEstimate::Ring(KernelProtocol protocol, double size) const
{
    const size_t p = PlaceOf(protocol);
    if (m_type == CollectiveType::Broadcast || m_type == CollectiveType::Reduce)
    {
        // one hop, however many ranks the chain has
        const double hop = (m_machine.nodes > 1 ? m_family.ringNet : m_family.ringLink)[p];
        return {m_family.ringBase[p] + hop, RingRate(protocol)};
    }
    const Hops hops = RingHops(protocol);
    const double crossing = CrossingSteps();
    double latency =
        m_family.ringBase[p] + (Steps() - crossing) * hops.inside + crossing * hops.between;
    constexpr double wide = 64; // bytes of a channel and rank
    if (protocol == KernelProtocol::Simple && m_machine.nodes > 1 &&
        m_type == CollectiveType::AllReduce && size / (m_channels * m_machine.ranks) >= wide)
    {
        const bool isV100 = m_machine.generation == Generation::V100;
        latency *= isV100 && m_family.ringPlateau > 1 ? 1.9 : m_family.ringPlateau;
    }
    return {latency, RingRate(protocol)};
}

/// On two nodes each direction of a tree uses the links of a node once, so it has twice the NICs.
double
TimeEstimate::TreeBus() const
{
    if (m_machine.nodes == 2 && m_machine.release >= Release{2, 12} &&
        m_machine.nicPath != NicPath::HostBridge)
    {
        return std::min(2 * m_bus, NODE_SHARE * m_machine.link);
    }
    return m_bus;
}

double
TimeEstimate::TreeRate(KernelProtocol protocol) const
{
    // TreeOfChannel has columns for one node, for two and for more.
    const size_t column = std::min<size_t>(m_machine.nodes, 3) - 1;
    double rate =
        std::min(TreeBus() * 0.92, m_channels * TreeOfChannel(m_machine.generation)[column]);
    if (protocol == KernelProtocol::LL)
    {
        rate = std::min(rate / 3.8, MostOfLL());
    }
    else if (protocol == KernelProtocol::LL128)
    {
        rate = std::min(rate * (m_machine.nodes == 1 ? 7.0 / 9 : 120.0 / 128),
                        m_channels * LL128OfChannel(m_machine.generation));
    }
    const bool hasOwnNics = m_machine.nics >= m_machine.Local();
    if (m_machine.nodes > 1 && hasOwnNics && m_machine.release >= Release{2, 12})
    {
        rate *= 0.85; // the NIC of a tree hangs at one GPU
    }
    return rate;
}

TimeEstimate::Line
TimeEstimate::Tree(KernelProtocol protocol, double size) const
{
    const size_t p = PlaceOf(protocol);
    double inside = m_family.treeLink[p];
    if (m_machine.nodes > 1 && protocol == KernelProtocol::LL && m_machine.release < Release{2, 17})
    {
        inside *= 1.8;
    }
    const bool isSimple = protocol == KernelProtocol::Simple;
    const double between = m_family.treeNet[p] + m_machine.pluginLatency * (isSimple ? 2 : 1);
    // The sum goes up the chain of each node and the tree of the nodes, and down again.
    const double latency =
        m_family.treeBase[p] + 2 * ((m_machine.Local() - 1) * inside + Levels() * between);
    // Each byte goes up and comes down, so a call has half of the rate of the wires.
    return {latency, TreeRate(protocol) / 2 * TreeCorrection(protocol, size)};
}

/// Of releases from 2.28 on, which count with an efficiency of the links: 0.74 on Blackwell, 0.85
/// else. An all-reduce by NVLS has two operations in a pipeline. Each GPU is the head of a channel.
double
TimeEstimate::NvlsBus() const
{
    const double share = m_machine.generation == Generation::B200 ? 0.74 : 0.85;
    const double local = m_machine.Local();
    return 2 * NODE_SHARE * m_machine.link * share * (local - 1) / local;
}

/// Releases before 2.28 took a fixed share of the bus. Source of all numbers here and below: the
/// library's tuning.cc of these releases.
TimeEstimate::Line
TimeEstimate::Nvls() const
{
    if (m_machine.release < Release{2, 28})
    {
        return {m_family.nvlsBase, m_bus * 5 / 6};
    }
    return {25.0, NvlsBus() * m_machine.ranks / Steps()};
}

/// Over nodes the library has changed its mind twice: up to 2.18 it counted with a ring of the
/// nodes, up to 2.27 with a tree of them that has a share of the bus, half as much over more than
/// two; then with the slowest of NVLS inside, the wires between, and what a head can pass on.
TimeEstimate::Line
TimeEstimate::NvlsTree() const
{
    const bool isPair = m_machine.nodes == 2;
    const double between = m_family.nvlsNet + m_machine.pluginLatency * 2;
    if (m_machine.release < Release{2, 19})
    {
        const double hops = 2 * (m_machine.nodes - 1);
        return {m_family.nvlsBase + hops * between, m_bus * 0.7 * m_machine.nodes / hops};
    }
    const double latency = m_family.nvlsBase + 2 * Levels() * between;
    if (m_machine.release < Release{2, 28})
    {
        return {latency, m_bus * (isPair ? 5.0 / 6 : 5.0 / 12)};
    }
    const double most = m_machine.Local() * NvlsTreeOfHead(m_machine.generation)[isPair ? 0 : 1];
    const double rate = std::min({NvlsBus(), m_bus * (isPair ? 2 : 1), most});
    return {latency, rate * m_machine.ranks / Steps()};
}

} // namespace nadi::nccl
