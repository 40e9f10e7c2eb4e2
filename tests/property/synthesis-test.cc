// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "network/make-routing.h"
#include "network/topology.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/synthesis.h"
#include "tests/support/case-count.h"
#include "tests/support/draws.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A link of a drawn network.
struct DrawnLink
{
    uint32_t from = 0;
    uint32_t to = 0;
    LinkRate forth;
    LinkRate back;
};

/// A connected network of 2 to 17 NPUs, joined to each other, to switches, or both, with parallel
/// links and links whose directions differ.
class DrawnNetwork
{
  public:
    explicit DrawnNetwork(uint64_t seed)
        : m_draws(seed)
        , m_npus(static_cast<uint32_t>(2 + m_draws.Below(16)))
        , m_switches(static_cast<uint32_t>(m_draws.Below(3) == 0 ? 0 : 1 + m_draws.Below(4)))
        , m_spread(m_draws.Below(8) == 0 ? 1'000'000 : 8)
    {
        const uint32_t vertices = m_npus + m_switches;
        for (uint32_t vertex = 1; vertex < vertices; ++vertex)
        {
            Join(static_cast<uint32_t>(m_draws.Below(vertex)), vertex);
        }
        for (uint64_t more = m_draws.Below(2 * vertices); more > 0; --more)
        {
            const auto from = static_cast<uint32_t>(m_draws.Below(vertices));
            const auto to = static_cast<uint32_t>(m_draws.Below(vertices));
            if (from != to)
            {
                Join(from, to);
            }
        }
    }

    uint32_t NpuCount() const
    {
        return m_npus;
    }

    /// With its links added in an order that the seed says; 0: as they were drawn.
    Topology Make(uint64_t orderSeed) const
    {
        std::vector<uint32_t> order(m_links.size());
        std::iota(order.begin(), order.end(), 0);
        const auto keyOf = [&](uint32_t link) {
            return orderSeed == 0 ? link : Hash64({orderSeed, link});
        };
        std::sort(order.begin(),
                  order.end(),
                  [&](uint32_t one, uint32_t other) { return keyOf(one) < keyOf(other); });
        Topology topology;
        for (uint32_t vertex = 0; vertex < m_npus + m_switches; ++vertex)
        {
            topology.AddVertex(vertex < m_npus ? VertexKind::Npu : VertexKind::Switch,
                               (vertex < m_npus ? "npu" : "switch") + std::to_string(vertex));
        }
        for (const uint32_t index : order)
        {
            const DrawnLink& link = m_links[index];
            topology.AddUnequalLink(VertexId{link.from}, VertexId{link.to}, link.forth, link.back);
        }
        topology.Validate("drawn");
        return topology;
    }

    /// Some of the ranks in some order, two at least.
    std::vector<RankId> DrawGroup()
    {
        std::vector<std::pair<uint64_t, uint32_t>> drawn;
        for (uint32_t rank = 0; rank < m_npus; ++rank)
        {
            drawn.emplace_back(m_draws.Below(uint64_t{1} << 40), rank);
        }
        const bool isAll = m_draws.Below(2) == 0;
        if (!isAll)
        {
            std::sort(drawn.begin(), drawn.end());
            drawn.resize(2 + m_draws.Below(m_npus - 1));
        }
        std::vector<RankId> ranks;
        for (const auto& [hash, rank] : drawn)
        {
            ranks.push_back(RankId{rank});
        }
        return ranks;
    }

    Draws& More()
    {
        return m_draws;
    }

  private:
    LinkRate DrawRate()
    {
        const auto rate = static_cast<int64_t>(1000 + 1000 * m_draws.Below(m_spread));
        const auto latency = static_cast<int64_t>(m_draws.Below(3) * m_draws.Below(1000));
        return {Bandwidth::FromBytesPerSecond(rate * 1000), SimTime::FromNs(latency)};
    }

    void Join(uint32_t from, uint32_t to)
    {
        const LinkRate forth = DrawRate();
        const LinkRate back = m_draws.Below(2) == 0 ? forth : DrawRate();
        const uint64_t count = m_draws.Below(4) == 0 ? 2 : 1;
        m_links.insert(m_links.end(), count, {from, to, forth, back});
    }

    Draws m_draws;
    uint32_t m_npus;
    uint32_t m_switches;
    uint64_t m_spread;
    std::vector<DrawnLink> m_links;
};

/// All that a program says, as numbers.
std::vector<uint64_t>
Spell(const MessageProgram& program)
{
    const ProgramBuffers& buffers = program.Buffers();
    std::vector<uint64_t> words{buffers.chunks, buffers.scratch, buffers.root};
    for (uint32_t rank = 0; rank < buffers.ranks; ++rank)
    {
        for (uint32_t index = 0; index < program.LaneCount(rank); ++index)
        {
            const ProgramLane& lane = program.LaneAt(rank, index);
            words.insert(words.end(), {rank, lane.sendPeer, lane.receivePeer, lane.channel});
            for (const ProgramStep& step : program.StepsOf(rank, index))
            {
                words.insert(words.end(),
                             {step.place,
                              step.count,
                              static_cast<uint64_t>(step.action),
                              step.operand,
                              step.after});
            }
        }
    }
    return words;
}

/// What comes of a request on the network with its links in that order.
SynthesisResult
SynthesizeOn(const DrawnNetwork& network, uint64_t orderSeed, const SynthesisRequest& request)
{
    const Topology topology = network.Make(orderSeed);
    const auto routing = MakeRouting(topology);
    PacketOptions packet;
    packet.switchLatency = SimTime::FromNs(100);
    return Synthesize({.topology = topology,
                       .routing = *routing,
                       .packet = packet,
                       .endpointDelay = SimTime::FromNs(10),
                       .reductionBandwidth = Bandwidth::FromBytesPerSecond(1'000'000'000'000)},
                      request);
}

SynthesisRequest
DrawRequest(DrawnNetwork& network, CollectiveType type)
{
    SynthesisRequest request;
    request.type = type;
    request.ranks = network.DrawGroup();
    Draws& draws = network.More();
    const auto ranks = static_cast<uint32_t>(request.ranks.size());
    request.root = static_cast<uint32_t>(draws.Below(ranks));
    const std::vector<uint64_t> sizes{0, 1, ranks - 1, 7 * ranks + 3, 1'000'000};
    request.elements = type == CollectiveType::Barrier ? 0 : sizes[draws.Below(sizes.size())];
    request.elementBytes = draws.Below(2) == 0 ? 1 : 4;
    request.options.seed = draws.Below(1000);
    request.options.tries = 1;
    request.options.chunks = static_cast<uint32_t>(1 + draws.Below(5));
    return request;
}

} // namespace

TEST_CASE("Synthesis: on random networks every program is proven, whatever the order of links",
          "[property]")
{
    const uint32_t cases = CaseCount{.reduced = 10, .normal = 60, .full = 2000}.Pick();
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + cases; ++seed)
    {
        for (const CollectiveType type : AllCollectiveTypes())
        {
            DrawnNetwork network(seed);
            const SynthesisRequest request = DrawRequest(network, type);
            CAPTURE(seed, ToText(type), request.ranks.size(), *request.options.chunks);
            const MessageProgram program = SynthesizeOn(network, 0, request).program;
            const auto fault = FindProgramFault(program);
            CAPTURE(fault ? fault->what : "");
            REQUIRE_FALSE(fault.has_value());
            REQUIRE(Spell(program) == Spell(SynthesizeOn(network, 1 + seed, request).program));
        }
    }
}

TEST_CASE("Synthesis: the best of many attempts is proven too", "[property]")
{
    const uint32_t cases = CaseCount{.reduced = 2, .normal = 6, .full = 100}.Pick();
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + cases; ++seed)
    {
        for (const CollectiveType type : AllCollectiveTypes())
        {
            DrawnNetwork network(seed);
            SynthesisRequest request = DrawRequest(network, type);
            request.options.chunks.reset();
            request.options.tries = 2;
            CAPTURE(seed, ToText(type), request.ranks.size());
            const SynthesisResult result = SynthesizeOn(network, 0, request);
            REQUIRE_FALSE(FindProgramFault(result.program).has_value());
            REQUIRE(result.candidates[result.best].predicted == result.predicted);
            // What is hardly better may lose to what is more certain.
            for (const SynthesisCandidate& candidate : result.candidates)
            {
                REQUIRE(candidate.predicted.Ps() * 1005 >= result.predicted.Ps() * 1000);
            }
            REQUIRE(Spell(result.program) ==
                    Spell(SynthesizeOn(network, 1 + seed, request).program));
        }
    }
}
