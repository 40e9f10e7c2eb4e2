// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "network/generator-parts.h"
#include "network/node-tier.h"
#include "network/topology-generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace nadi
{

/// A dragonfly (Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly
/// topology", ISCA 2008): the routers of a group are joined each to each by local links, the
/// groups each to each by equally many global links.
///
/// With g groups of a routers that have h global links each, two groups share a * h / (g - 1)
/// links, a whole number. Port q of a group, counted 0 to a * h - 1, belongs to router q / h and
/// leads o + 1 groups ahead, o = q mod (g - 1); its other end is the port of offset g - 2 - o in
/// the same round of that group, so every port is used once.
///
/// Routing is minimal: at most one global link, and at most one local link before and after it.
/// Routing counts a global link as three, so that two of them are never a shorter way.
///
/// Rank = (group * routers-per-group + router) * npus-per-router + i. NPUs stand alone, or
/// npus-per-node neighbouring ones of a router in a node. With `nodes` the routers get their nodes
/// in order until there are no more.
///
/// Switches: those of the nodes, group0.router0, ... Links: those of the nodes (without nodes, of
/// the NPUs in rank order), local ones group by group, global ones by their lower group and port.
class DragonflyGenerator : public TopologyGenerator
{
  public:
    static constexpr const char* Help =
        "Routers form groups: local links join every two routers of a group, and global links join "
        "every two groups. The NPUs of a router may stand in nodes.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return JoinSpecs(
            {RequiredCount(
                 "groups",
                 "The number of groups. Every two groups share the same number of global links."),
             RequiredCount(
                 "routers-per-group",
                 "The number of routers in each group. Every two of them share a local link."),
             RequiredCount("npus-per-router", "The number of NPUs on each router."),
             NodeTier::CountSpecs("1"),
             OptionalCount("nodes",
                           "0",
                           "The number of nodes, of at most those that the routers have room for. "
                           "The first routers have them; 0 fills all routers."),
             OptionalCount(
                 "global-links-per-router",
                 "0",
                 "The number of global links of each router. This number times routers-per-group "
                 "must be a multiple of groups - 1, so that a group shares as many links with each "
                 "of the others; 0 stands for the smallest such number."),
             RequiredLink("link", "between a NIC and its router"),
             NodeTier::LinkSpecs("link", "link"),
             LinkLike("local", "link", "between two routers of a group"),
             LinkLike("global", "link", "between routers of two groups")});
    }

    explicit DragonflyGenerator(const Parameters& parameters)
        : m_groups(GetCount(parameters, "groups", 1))
        , m_routersPerGroup(GetCount(parameters, "routers-per-group", 1))
        , m_npusPerRouter(GetCount(parameters, "npus-per-router", 1))
        , m_nodes(parameters, CountNodes(parameters), "link")
        , m_local(GetLink(parameters, "local"))
        , m_global(GetLink(parameters, "global"))
    {
        m_globalsPerRouter = CountGlobals(GetCount(parameters, "global-links-per-router", 0));
    }

    TopologySize Size() const override
    {
        return {m_nodes.NpuCount(),
                m_nodes.SwitchCount() + CappedProduct({m_groups, m_routersPerGroup}),
                m_nodes.LinkCount() +
                    CappedProduct({m_groups, m_routersPerGroup, m_routersPerGroup - 1}) +
                    CappedProduct({m_groups, m_routersPerGroup, m_globalsPerRouter})};
    }

    std::optional<NodeHardware> Nodes() const override
    {
        if (m_nodes.NpusPerNode() == 1)
        {
            return std::nullopt;
        }
        // The nearest nodes are two on one router, else two on different routers of a group, else
        // two in different groups.
        return m_nodes.Describe(NodesPerRouter() > 1    ? SimTime()
                                : m_routersPerGroup > 1 ? m_local.latency
                                                        : m_global.latency);
    }

    std::vector<IdleParameter> IdleParameters() const override
    {
        std::vector<IdleParameter> idle = m_nodes.IdleParameters();
        AddIdleLocals(idle);
        AddIdleGlobals(idle);
        return idle;
    }

    void AddTo(Topology& topology) const override
    {
        const uint32_t routerCount = m_groups * m_routersPerGroup;
        const NodeTier::Vertices nodes = m_nodes.AddVertices(topology);
        const VertexRange routers{topology.VertexCount(), routerCount};
        for (uint32_t group = 0; group < m_groups; ++group)
        {
            AddSwitches(topology, fmt::format("group{}.router", group), m_routersPerGroup);
        }
        const uint32_t nicsPerRouter = NodesPerRouter() * m_nodes.NicsPerNode();
        m_nodes.AddLinks(
            topology, nodes, [&](uint32_t nic) { return routers.At(nic / nicsPerRouter); });
        for (uint32_t group = 0; group < m_groups; ++group)
        {
            JoinGroup(topology, {routers.first + group * m_routersPerGroup, m_routersPerGroup});
        }
        for (uint32_t group = 0; group < m_groups; ++group)
        {
            JoinToLaterGroups(topology, routers, group);
        }
    }

  private:
    void AddIdleLocals(std::vector<IdleParameter>& idle) const
    {
        if (m_routersPerGroup == 1)
        {
            idle.push_back({"local", "a group with one router has no local links"});
        }
        else if (FitOnOneRouter())
        {
            idle.push_back({.name = "local", .why = WhyUnreached(), .isUnreached = true});
        }
    }

    void AddIdleGlobals(std::vector<IdleParameter>& idle) const
    {
        if (m_groups == 1)
        {
            const std::string why = "one group has no global links";
            idle.push_back({"global-links-per-router", why});
            idle.push_back({"global", why});
        }
        else if (m_nodes.NodeCount() <= uint64_t{NodesPerRouter()} * m_routersPerGroup)
        {
            for (const char* const name : {"global-links-per-router", "global"})
            {
                idle.push_back({.name = name, .why = WhyUnreached(), .isUnreached = true});
            }
        }
    }

    bool FitOnOneRouter() const
    {
        return m_nodes.NodeCount() <= NodesPerRouter();
    }

    /// Requires: the nodes fit into one group.
    std::string WhyUnreached() const
    {
        return fmt::format("all NPUs are {}, and no message leaves it; write more nodes",
                           FitOnOneRouter() ? "on one router" : "in one group");
    }

    /// Throws ConfigError where nodes are not spread evenly over routers, or find no room.
    uint32_t CountNodes(const Parameters& parameters) const
    {
        const uint32_t npusPerNode = GetCount(parameters, "npus-per-node", 1);
        CheckDivides("npus-per-node", npusPerNode, m_npusPerRouter, "NPUs of a router");
        const uint64_t most =
            CappedProduct({m_groups, m_routersPerGroup, m_npusPerRouter / npusPerNode});
        const uint32_t wanted = GetCount(parameters, "nodes", 0);
        if (wanted > most)
        {
            throw ConfigError("nodes",
                              fmt::format("the routers have room for {} nodes, not {}; write {} or "
                                          "fewer, or more groups, routers-per-group or "
                                          "npus-per-router",
                                          most,
                                          wanted,
                                          most));
        }
        return wanted > 0 ? wanted : static_cast<uint32_t>(std::min<uint64_t>(most, UINT32_MAX));
    }

    uint32_t NodesPerRouter() const
    {
        return m_npusPerRouter / m_nodes.NpusPerNode();
    }

    /// h of the class comment: `wanted`, or where that is 0 the least. Throws ConfigError where the
    /// groups cannot be joined evenly.
    uint32_t CountGlobals(uint32_t wanted) const
    {
        if (m_groups == 1)
        {
            return 0;
        }
        const uint32_t others = m_groups - 1;
        // The least h for which a h (a: routers of a group) is a multiple of g - 1.
        const uint32_t least = others / std::gcd(others, m_routersPerGroup);
        if (wanted % least != 0)
        {
            throw ConfigError("global-links-per-router",
                              fmt::format("the {} global links of a group ({} routers with {}) "
                                          "cannot join {} other groups evenly; write {}, or a "
                                          "multiple of it",
                                          CappedProduct({wanted, m_routersPerGroup}),
                                          m_routersPerGroup,
                                          wanted,
                                          others,
                                          least));
        }
        return wanted == 0 ? least : wanted;
    }

    void JoinGroup(Topology& topology, VertexRange routers) const
    {
        for (uint32_t i = 0; i < routers.count; ++i)
        {
            for (uint32_t j = i + 1; j < routers.count; ++j)
            {
                Join(topology, routers.At(i), routers.At(j), m_local);
            }
        }
    }

    void JoinToLaterGroups(Topology& topology, VertexRange routers, uint32_t group) const
    {
        constexpr RoutingCost routingCost{.links = 3};
        for (uint32_t port = 0; port < m_routersPerGroup * m_globalsPerRouter; ++port)
        {
            const uint32_t offset = port % (m_groups - 1);
            const uint32_t other = (group + offset + 1) % m_groups;
            // Each link comes up at both of its ends, and is added at the lower group.
            if (other > group)
            {
                // `port - offset` begins the round, which is the same at both ends (see the class
                // comment).
                const uint32_t otherPort = port - offset + (m_groups - 2 - offset);
                topology.AddCostlyLink(routers.At(RouterOf(group, port)),
                                       routers.At(RouterOf(other, otherPort)),
                                       m_global,
                                       routingCost);
            }
        }
    }

    uint32_t RouterOf(uint32_t group, uint32_t port) const
    {
        return group * m_routersPerGroup + port / m_globalsPerRouter;
    }

    uint32_t m_groups;
    uint32_t m_routersPerGroup;
    uint32_t m_npusPerRouter;
    NodeTier m_nodes;
    uint32_t m_globalsPerRouter = 0; // 0: there is one group
    LinkRate m_local;
    LinkRate m_global;
};

NADI_REGISTER(TopologyGenerator, DragonflyGenerator, "dragonfly");

} // namespace nadi
