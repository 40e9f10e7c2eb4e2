// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "network/topology.h"
#include "tests/support/draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
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
        Topology topology;
        for (uint32_t vertex = 0; vertex < m_npus + m_switches; ++vertex)
        {
            topology.AddVertex(vertex < m_npus ? VertexKind::Npu : VertexKind::Switch,
                               NameOf(vertex));
        }
        for (const DrawnLink& link : LinksInOrder(orderSeed))
        {
            topology.AddUnequalLink(VertexId{link.from}, VertexId{link.to}, link.forth, link.back);
        }
        topology.Validate("drawn");
        return topology;
    }

    /// As a topology file.
    std::string Write(uint64_t orderSeed) const
    {
        std::string switches;
        for (uint32_t vertex = m_npus; vertex < m_npus + m_switches; ++vertex)
        {
            switches += (switches.empty() ? "" : ", ") + NameOf(vertex);
        }
        std::string text = fmt::format("nodes: {{npus: {}{}}}\nlinks:\n",
                                       m_npus,
                                       switches.empty() ? "" : ", switches: [" + switches + "]");
        for (const DrawnLink& link : LinksInOrder(orderSeed))
        {
            text += WriteDirection(link.from, link.to, link.forth);
            text += WriteDirection(link.to, link.from, link.back);
        }
        return text;
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
    std::vector<DrawnLink> LinksInOrder(uint64_t orderSeed) const
    {
        std::vector<uint32_t> order(m_links.size());
        std::iota(order.begin(), order.end(), 0);
        const auto keyOf = [&](uint32_t link) {
            return orderSeed == 0 ? link : Hash64({orderSeed, link});
        };
        std::sort(order.begin(),
                  order.end(),
                  [&](uint32_t one, uint32_t other) { return keyOf(one) < keyOf(other); });
        std::vector<DrawnLink> links;
        for (const uint32_t index : order)
        {
            links.push_back(m_links[index]);
        }
        return links;
    }

    std::string NameOf(uint32_t vertex) const
    {
        return (vertex < m_npus ? "npu" : "switch") + std::to_string(vertex);
    }

    std::string WriteDirection(uint32_t from, uint32_t to, const LinkRate& rate) const
    {
        return fmt::format("  - {{from: {}, to: {}, direction: forward, bandwidth: {} b/s, "
                           "latency: {} ps}}\n",
                           NameOf(from),
                           NameOf(to),
                           rate.bandwidth.BitsPerSecond(),
                           rate.latency.Ps());
    }

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

} // namespace nadi::test
